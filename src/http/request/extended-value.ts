type ExtendedValue = { readonly language: string; readonly text: string };

// RFC 8187 §3.2.1
const EXTENDED = /^utf-8'([a-z\d-]*)'((?:%[0-9a-f]{2}|[a-z\d!#$&+.^_`|~-])*)$/i;

/** Reads `UTF-8'language'percent-encoded`; undefined for anything else, and for bytes that are no UTF-8. */
export const readExtendedValue = (value: string): ExtendedValue | undefined => {
  const [, language, encoded] = EXTENDED.exec(value) ?? [];
  if (language === undefined || encoded === undefined) return undefined;
  try {
    return { language, text: decodeURIComponent(encoded) };
  } catch {
    return undefined;
  }
};
