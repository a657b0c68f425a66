// Soft notes, made here. Browsers allow sound only after a touch, so the first one may stay silent.

let context: AudioContext | null = null;

const TUNES = { shown: [523, 784], agreed: [523, 659, 784, 1047], time: [880, 659], nudge: [784, 988, 784], drum: [131, 131, 139, 131, 139, 147], tick: [988], fanfare: [523, 523, 659, 784, 659, 784, 1047] } as const;

export function chime(tune: keyof typeof TUNES): void {
  try {
    context ??= new AudioContext();
    void context.resume();
    TUNES[tune].forEach((pitch, at) => note(context!, pitch, context!.currentTime + at * 0.13));
  } catch {
    // A machine without sound plays on in silence.
  }
}

function note(audio: AudioContext, pitch: number, at: number): void {
  const tone = audio.createOscillator();
  const gain = audio.createGain();
  tone.type = "triangle";
  tone.frequency.value = pitch;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(0.12, at + 0.015);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
  tone.connect(gain).connect(audio.destination);
  tone.start(at);
  tone.stop(at + 0.55);
}
