// Every bound of a setup in one place: what a game may be (the server's own limits, asked here first), and what the page
// is willing to read.

export const SENDERS_MAX = 100;
export const PLAYERS_MAX = 100;
export const ROUNDS_MAX = 100;
export const ITEMS_MAX = 1000;
export const NAME_CHARS_MAX = 40;
export const TITLE_CHARS_MAX = 40;
export const URL_BYTES_MAX = 500;
/** The whole wish, as it travels. */
export const WISH_BYTES_MAX = 1024 * 1024;
/** With one sender there is nothing to guess. */
export const SENDERS_MIN = 2;

/** A file is read whole, because its JSON is. The messenger starts a new one every 10,000 messages, far below this. */
export const FILE_BYTES_MAX = 128 * 1024 * 1024;
export const FILES_MAX = 2000;
/** Shares that the page keeps; an evening needs a few dozen. */
export const SHARES_MAX = 50_000;

/** An export with years of photos has tens of thousands of entries, of which we open the messages alone. */
export const ZIP_ENTRIES_MAX = 300_000;
export const ZIP_DIRECTORY_BYTES_MAX = 64 * 1024 * 1024;
/** All messages of an archive together, unpacked. */
export const ZIP_BYTES_MAX = 1024 * 1024 * 1024;
/** Chats shrink to a tenth or so; what grows more than this is made to harm. */
export const ZIP_RATIO_MAX = 200;
/** Below this a high ratio harms nobody: a file of a thousand equal lines is no bomb. */
export const ZIP_RATIO_FREE_BYTES = 4 * 1024 * 1024;

/** Examples that a report gives of each reason. */
export const EXAMPLES_MAX = 3;
/** Steps that can be undone. */
export const UNDO_MAX = 100;
