/** A text as Postgres takes it. It rejects one with NUL, for which U+FFFD stands then. */
export const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);
