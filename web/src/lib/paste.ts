// Lines that somebody typed or pasted, as stories: a web address in a line becomes its link.

export interface NewStory {
  title: string;
  link?: string;
}

/** A link that a page may offer; the server takes no others, and the page trusts no server. */
export const isWebLink = (link: string | null | undefined): link is string => /^https?:\/\//i.test(link ?? "");

export const TITLE_MAX = 200;

export function storiesIn(text: string): NewStory[] {
  return text.split(/\r?\n/).map(storyIn).filter((story) => story !== null);
}

function storyIn(line: string): NewStory | null {
  const found = /https?:\/\/\S+/.exec(line);
  const link = found?.[0];
  const rest = (link ? line.replace(link, " ") : line).replace(/\s+/g, " ").replace(/^\s*[-*•]\s+/, "").trim();
  const title = [...(rest || link || "")].slice(0, TITLE_MAX).join("");
  if (!title) return null;
  return link && link.length <= 500 ? { title, link } : { title };
}
