import { beforeEach, expect, test, vi } from "vitest";
import { putTabBack, takeTab } from "../src/lib/tab.js";

const storage = new Map<string, string>();
const listeners = new Map<string, (event: { persisted: boolean }) => void>();
const reload = vi.fn();

beforeEach(() => {
  storage.clear();
  reload.mockClear();
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => storage.get(name) ?? null,
    setItem: (name: string, value: string) => storage.set(name, value),
    removeItem: (name: string) => storage.delete(name),
  });
  vi.stubGlobal("addEventListener", (name: string, listener: (event: { persisted: boolean }) => void) => listeners.set(name, listener));
  vi.stubGlobal("location", { reload });
});

test("a reload goes on with the same name and number, and a tab copied meanwhile gets its own", () => {
  const tab = takeTab();
  putTabBack(() => ({ ...tab, nextNumber: 7 }));
  expect(takeTab().client).not.toBe(tab.client);
  listeners.get("pagehide")!({ persisted: false });
  expect(takeTab()).toEqual({ client: tab.client, nextNumber: 7 });
  expect(takeTab().client).not.toBe(tab.client);
});

test("a page that comes back from the browser's memory is loaded anew, with the numbers of the page after it", () => {
  const tab = takeTab();
  putTabBack(() => ({ ...tab, nextNumber: 7 }));
  const [hide, show] = [listeners.get("pagehide")!, listeners.get("pageshow")!];
  hide({ persisted: true });
  const after = takeTab();
  putTabBack(() => ({ ...after, nextNumber: 12 }));
  listeners.get("pagehide")!({ persisted: false });

  show({ persisted: true });
  expect(reload).toHaveBeenCalledOnce();
  hide({ persisted: false });
  expect(takeTab()).toEqual({ client: tab.client, nextNumber: 12 });
});
