// The lines of a chart: points become paths in a picture of a given size. Where nothing was asked the line has a gap.

import type { Point } from "./rate.js";

export interface Drawing {
  /** The line, piece by piece. */
  readonly line: string;
  /** The same pieces down to the ground. */
  readonly area: string;
  /** Points that stand alone, where a line would not be seen. */
  readonly dots: readonly (readonly [x: number, y: number])[];
}

export function draw(points: readonly Point[], span: { readonly from: number; readonly to: number }, width: number, height: number): Drawing {
  const place = ({ at, rate }: { at: number; rate: number }) =>
    [round(((at - span.from) / Math.max(1, span.to - span.from)) * width), round((1 - rate) * height)] as const;
  const pieces: (readonly [number, number])[][] = [[]];
  for (const { at, rate } of points) {
    if (at < span.from) continue;
    if (rate === null) pieces.push([]);
    else pieces.at(-1)!.push(place({ at, rate }));
  }
  const lines = pieces.filter((piece) => piece.length > 1);
  const path = (piece: readonly (readonly [number, number])[]) => piece.map(([x, y], at) => `${at ? "L" : "M"}${x} ${y}`).join("");
  return {
    line: lines.map(path).join(""),
    area: lines.map((piece) => `${path(piece)}L${piece.at(-1)![0]} ${height}L${piece[0]![0]} ${height}Z`).join(""),
    dots: pieces.filter((piece) => piece.length === 1).map(([only]) => only!),
  };
}

const round = (value: number) => Math.round(value * 10) / 10;
