// A short shower of small cards for a round of one mind. It ends by itself, and never comes to those who asked for calm.

import { calm } from "./preferences.svelte.js";

const PIECES = 110;
const LASTS_MS = 2600;
const COLOURS = ["#c49a4a", "#8c2a39", "#f7f3e6", "#2f7d66", "#e3b75f"];

/** From the middle of that element. */
export function confetti(from: Element | null): void {
  if (calm()) return;
  const box = (from ?? document.body).getBoundingClientRect();
  const canvas = document.createElement("canvas");
  canvas.className = "confetti";
  canvas.setAttribute("aria-hidden", "true");
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  document.body.append(canvas);
  const pen = canvas.getContext("2d");
  if (!pen) return canvas.remove();

  const pieces = Array.from({ length: PIECES }, (_, at) => ({
    x: box.left + box.width * (0.5 + (Math.random() - 0.5) * 0.4),
    y: box.top + box.height * 0.5,
    dx: (Math.random() - 0.5) * 13,
    dy: -7 - Math.random() * 9,
    size: 6 + Math.random() * 8,
    turn: Math.random() * 6,
    spin: (Math.random() - 0.5) * 0.3,
    colour: COLOURS[at % COLOURS.length]!,
  }));
  const started = performance.now();
  let last = started;

  const frame = (now: number) => {
    const step = Math.min(3, (now - last) / 16);
    last = now;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.globalAlpha = Math.max(0, Math.min(1, (LASTS_MS - (now - started)) / 600));
    for (const piece of pieces) {
      piece.dy += 0.32 * step;
      piece.dx *= 0.99;
      piece.x += piece.dx * step;
      piece.y += piece.dy * step;
      piece.turn += piece.spin * step;
      pen.save();
      pen.translate(piece.x, piece.y);
      pen.rotate(piece.turn);
      // A card that turns over while it falls is narrow for a moment.
      pen.scale(Math.cos(piece.turn * 1.7), 1);
      pen.fillStyle = piece.colour;
      pen.fillRect(-piece.size / 2, -piece.size * 0.7, piece.size, piece.size * 1.4);
      pen.restore();
    }
    if (now - started < LASTS_MS) requestAnimationFrame(frame);
    else canvas.remove();
  };
  requestAnimationFrame(frame);
}
