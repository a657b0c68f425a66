// The examples of the README are programs: every one of them is checked as a file of its own.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const blocks = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/^```(tsx?)\n(.*?)^```$/gms)];

test("every part has an example", () => {
  const all = blocks.map(([, , code]) => code).join("\n");
  for (const word of [".map<", ".list<", ".presence<", ".batch(", ".undo(", ".broadcast(", "auth:", "WebSocket", "useMap", "mapStore", "poker(", "reels(", "shop("]) {
    expect(all).toContain(word);
  }
});

test("the examples are right", () => {
  const files = new Map(blocks.map(([, kind, code], at) => [join(folder, `example-${at}.${kind!}`), code!]));
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"], types: [], strict: true, noEmit: true, skipLibCheck: true, jsx: ts.JsxEmit.ReactJSX,
    paths: {
      "parlor-sdk": [join(folder, "src/index.ts")],
      "parlor-sdk/poker": [join(folder, "src/poker.ts")],
      "parlor-sdk/reels": [join(folder, "src/reels.ts")],
      "parlor-sdk/shop": [join(folder, "src/shop.ts")],
      "parlor-sdk/react": [join(folder, "src/react.ts")],
      "parlor-sdk/svelte": [join(folder, "src/svelte.ts")],
    },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, version) => (files.has(name) ? ts.createSourceFile(name, files.get(name)!, version) : getSourceFile(name, version));
  const program = ts.createProgram([...files.keys()], options, host);
  const wrong = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file ? file.text.slice(0, start).split("\n").length : 0;
    return `${file?.fileName.slice(folder.length + 1) ?? ""}:${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
  expect(wrong).toEqual([]);
}, 60_000);
