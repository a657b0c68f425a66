// The messenger's export writes every byte of a UTF-8 text as a letter of its own: "Zoé" becomes "ZoÃ©". Nothing tells
// such a text from another but that it can be read back.

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text as it was meant. What is not the bytes of a UTF-8 text is left as it is. */
export function repaired(text: string): string {
  let plain = true;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0xff) return text;
    if (unit > 0x7f) plain = false;
  }
  if (plain) return text;
  try {
    return utf8.decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  } catch {
    return text;
  }
}
