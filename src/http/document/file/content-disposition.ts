const encodeReserved = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** RFC 8187 §3.2.1: what is no attr-char is percent-encoded; `encodeURIComponent` leaves four of those as they are. */
const extendedValue = (text: string): string => `UTF-8''${encodeURIComponent(text).replace(/['()*]/g, encodeReserved)}`;

// In a quoted string some readers take `%` and `\` for escapes (RFC 6266, appendix D).
const plainValue = (text: string): string => text.replace(/[^\x20-\x7e]|["\\%]/gu, '_');

/** RFC 6266: save the body under `fileName`, never show it in place; readers that know `filename*` prefer it. */
export const attachment = (fileName: string): string =>
  `attachment; filename="${plainValue(fileName)}"; filename*=${extendedValue(fileName)}`;
