// A drawing is a list of strokes in a square of its own units, so that undo is taking the last away and a turned phone
// loses nothing.

/** The drawing's own width and height. */
export const PAPER = 300;

export type Point = readonly [x: number, y: number];

export interface Stroke {
  readonly colour: string;
  readonly width: number;
  readonly points: readonly Point[];
}

/** What a stroke is drawn on; a canvas has it, and so has a test. */
export type Pen = Pick<CanvasRenderingContext2D, "beginPath" | "moveTo" | "lineTo" | "quadraticCurveTo" | "stroke" | "fillRect"> & {
  strokeStyle: unknown;
  fillStyle: unknown;
  lineWidth: number;
  lineCap: string;
  lineJoin: string;
};

export function drawAll(pen: Pen, paper: string, strokes: readonly Stroke[]): void {
  pen.fillStyle = paper;
  pen.fillRect(0, 0, PAPER, PAPER);
  for (const stroke of strokes) draw(pen, stroke);
}

/** Through the middles between points, which makes a finger's corners round. */
export function draw(pen: Pen, { colour, width, points }: Stroke): void {
  const [first, ...rest] = points;
  if (!first) return;
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineCap = pen.lineJoin = "round";
  pen.beginPath();
  pen.moveTo(first[0], first[1]);
  rest.forEach(([x, y], at) => {
    const next = rest[at + 1];
    if (next) pen.quadraticCurveTo(x, y, (x + next[0]) / 2, (y + next[1]) / 2);
    else pen.lineTo(x, y);
  });
  // A tap is a dot.
  if (rest.length === 0) pen.lineTo(first[0] + 0.01, first[1]);
  pen.stroke();
}

/** Where a finger is on the paper, wherever the paper is on the screen. */
export function onPaper(x: number, y: number, box: { left: number; top: number; width: number; height: number }): Point {
  const within = (part: number) => Math.round(Math.min(1, Math.max(0, part)) * PAPER * 10) / 10;
  return [within((x - box.left) / box.width), within((y - box.top) / box.height)];
}
