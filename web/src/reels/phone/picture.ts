// From whatever a browser can draw to the words of the server: 300 × 300, JPEG, base64.

import { type Encode, PICTURE_PIXELS, base64, fitted, middleSquare } from "./jpeg.js";

export interface Picture {
  readonly source: CanvasImageSource;
  readonly width: number;
  readonly height: number;
  /** As one sees oneself in a mirror. */
  readonly mirrored?: boolean;
}

/** Null when this browser cannot make it. */
export async function jpegOf({ source, width, height, mirrored }: Picture): Promise<string | null> {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = PICTURE_PIXELS;
  const pen = canvas.getContext("2d");
  if (!pen || width === 0 || height === 0) return null;
  // What is transparent would be black in a JPEG.
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, PICTURE_PIXELS, PICTURE_PIXELS);
  if (mirrored) {
    pen.translate(PICTURE_PIXELS, 0);
    pen.scale(-1, 1);
  }
  const { x, y, side } = middleSquare(width, height);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(source, x, y, side, side, 0, 0, PICTURE_PIXELS, PICTURE_PIXELS);
  const jpeg = await fitted(encoder(canvas));
  return jpeg && base64(jpeg);
}

const encoder = (canvas: HTMLCanvasElement): Encode => async (quality) => {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
  return blob && new Uint8Array(await blob.arrayBuffer());
};

/** A photograph from a file, turned as the camera was held; null when it is no picture. */
export async function pictureIn(file: File): Promise<Picture | null> {
  const source = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null);
  return source && { source, width: source.width, height: source.height };
}
