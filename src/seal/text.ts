const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What these bytes say in UTF-8, from which the same bytes can be made; none where they are not UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};

/** A whole number that a double carries exactly, from its one decimal spelling. */
export const fromDecimal = (text: string): number | undefined => {
  const value = Number(text);
  return /^(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(value) ? value : undefined;
};
