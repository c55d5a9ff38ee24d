import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';

const FALLBACK_TYPE = 'application/octet-stream';

/** How many of a file's first bytes its type is told from; file-type needs no more. */
export const SNIFFED_BYTES = 4100;

// With fewer bytes, file-type takes the missing ones for zeros, and two bytes for a font.
const MIN_SNIFFED_BYTES = 8;

/** Names of any type or of none; a part without a type is text by default (RFC 7578 §4.4), whatever it holds. */
const GENERIC =
  /^(?:text\/plain|(?:application|binary)\/octet-stream|application\/(?:x-)?(?:unknown|download|force-download))$/;

// The bytes that are in no text (https://mimesniff.spec.whatwg.org/#binary-data-byte).
const isBinary = (byte: number): boolean => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);

const isText = (head: Buffer): boolean => {
  const mark = head.length < 2 ? 0 : head.readUInt16BE(0);
  if (mark !== 0xfffe && mark !== 0xfeff) return !head.some(isBinary);
  const units = Buffer.from(head.subarray(0, head.length & ~1));
  const text = (mark === 0xfffe ? units : units.swap16()).toString('utf16le');
  return !Array.from(text).some((character) => isBinary(character.charCodeAt(0)));
};

/** Formats that are text, and begin as no other text does. */
const TEXT_FORMATS: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/rtf',
  'application/xml',
  'application/pgp-encrypted',
  'application/x-ms-regedit',
  'text/calendar',
  'text/vcard',
  'text/vtt',
]);

/** Finds that rest on two or three bytes, or on small numbers: much else begins like them. */
const WEAK: ReadonlySet<string> = new Set([
  'application/postscript',
  'application/vnd.ms-fontobject',
  'application/x-apple-diskimage',
  'application/x-arj',
  'application/x-asar',
  'application/x-bzip2',
  'application/x-compress',
  'application/x-cpio',
  'application/x-msdownload',
  'application/x-shockwave-flash',
  'audio/aac',
  'audio/mpeg',
  'audio/vnd.dolby.dd-raw',
  'audio/x-musepack',
  'font/ttf',
  'image/bmp',
  'image/gif',
  'image/jxl',
  'image/vnd.dwg',
  'image/vnd.ms-photo',
  'image/x-icon',
  'model/stl',
  'video/mp2t',
  'video/mpeg',
  'video/quicktime',
]);

/** Formats in which others are packed, so that a find of them says little. */
const CONTAINER =
  /^(?:application\/(?:zip|gzip|xml|ogg|zstd|java-archive|vnd\.ms-asf|vnd\.ms-cab-compressed|x-(?:7z-compressed|bzip2|cfb|lz4|lzip|rar-compressed|sqlite3|tar|unix-archive|xz))|audio\/(?:aiff|mp4|ogg|x-ms-asf)|image\/(?:heif|heif-sequence|tiff)|video\/(?:matroska|mp4|ogg|quicktime|webm|x-ms-asf))$/;

const ISO_MEDIA =
  /^(?:(?:audio|video)\/(?:3gpp2?|aac|mp4|quicktime|x-m4[abpv])|image\/(?:avif|hei[cf](?:-sequence)?|x-canon-cr3))$/;

/** What is found, and which types that file-type knows by themselves are made of it. */
const SUPER_TYPES: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [
    /^application\/(?:zip|java-archive)$/,
    /^(?:application\/(?:epub\+zip|java-archive|x-xpinstall|vnd\.(?:android\.package-archive|visio|oasis\..*|openxmlformats-.*|ms-.*macroenabled.*))|model\/3mf)$/,
  ],
  [/wordprocessingml\.document$/, /wordprocessingml|^application\/vnd\.ms-word\./],
  [/spreadsheetml\.sheet$/, /spreadsheetml|^application\/vnd\.ms-excel\./],
  [/presentationml\.presentation$/, /presentationml|^application\/vnd\.ms-powerpoint\./],
  [/^application\/x-cfb$/, /^application\/vnd\.(?:ms-outlook|visio)$/],
  [/^application\/(?:gzip|x-bzip2|zstd)$/, /^application\/x-(?:apple-diskimage|blender)$/],
  [/^application\/x-unix-archive$/, /^application\/x-deb$/],
  [/^application\/pdf$|^application\/(?:eps|postscript)$/, /illustrator|postscript|eps$/],
  [/^image\/tiff$/, /^image\/x-/],
  [/^image\/heif(?:-sequence)?$/, /^image\/(?:avif|hei[cf])/],
  [/^(?:audio\/mp4|video\/(?:mp4|quicktime))$/, ISO_MEDIA],
  [/^(?:application|audio|video)\/ogg$/, /^(?:application|audio|video)\/ogg$/],
  [/^(?:application\/vnd\.ms-asf|(?:audio|video)\/x-ms-asf)$/, /^(?:audio|video)\/x-ms-/],
  [/^video\/(?:matroska|webm)$/, /^video\/(?:matroska|webm)$/],
];

const TEXT_TYPE =
  /^text\/|^application\/(?:json|xml|javascript|sql|yaml|toml|x-(?:ndjson|sh|yaml))$|[+](?:json|xml|yaml)$/;

const find = async (head: Buffer): Promise<string | undefined> => {
  if (head.length < MIN_SNIFFED_BYTES) return undefined;
  try {
    const found = (await fileTypeFromBuffer(head))?.mime;
    // file-type takes `%!` for PostScript, and TeX sources begin like that too
    const isPostScript = found !== 'application/postscript' || head.subarray(0, 4).toString('latin1') === '%!PS';
    return found !== undefined &&
      isText(head) &&
      !(TEXT_FORMATS.has(found) || (isPostScript && /postscript|eps$/.test(found)))
      ? undefined
      : found;
  } catch {
    // file-type throws on some malformed beginnings
    return undefined;
  }
};

/** Whether a file of the declared type may well begin with what was found. */
const mayBegin = (declared: string, found: string, head: Buffer): boolean => {
  if (SUPER_TYPES.some(([base, made]) => base.test(found) && made.test(declared))) return true;
  // a type that has a beginning of its own does not have it here
  if (supportedMimeTypes.has(declared) || (TEXT_TYPE.test(declared) && !isText(head))) return false;
  return CONTAINER.test(found) || WEAK.has(found);
};

/**
 * The media type of a file that begins with `head`, its first `SNIFFED_BYTES` bytes: the one that the content shows, where
 * it really tells; else the declared one; else `application/octet-stream`. The content tells nothing where the find is the
 * container or the super-type of what was declared (a zip archive, XML), or where ordinary content of the declared type may
 * begin so by accident (a text that begins with "BM").
 */
export const mediaTypeOf = async (head: Buffer, declaredType: string | undefined): Promise<string> => {
  const declared = declaredType?.toLowerCase().replace(/[ \t]*;.*$/s, '') ?? 'application/octet-stream';
  const found = await find(head);
  if (found !== undefined && (GENERIC.test(declared) || !mayBegin(declared, found, head))) return found;
  const isBelievable = declared !== 'text/plain' || !head.includes(0) || isText(head);
  return declaredType !== undefined && isBelievable ? declaredType : FALLBACK_TYPE;
};
