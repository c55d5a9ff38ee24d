import { TEXT_LIMIT } from '../../fields/text.js';

/** What a file is called whose name consists of nothing that can be shown. */
const NAMELESS = 'file';

/**
 * The name of an uploaded file as it is shown: the client's base name (multer has taken the folders off and read the
 * browsers' `%22 %0D %0A`) without control characters and lone surrogates, cut to the limit of any text. It names nothing in storage.
 */
export const originalNameOf = (clientName: string): string => {
  const shown = clientName.replace(/[\p{Cc}\p{Cs}]/gu, '');
  const characters = Array.from(shown);
  if (characters.length === 0) return NAMELESS;
  return characters.length > TEXT_LIMIT ? characters.slice(0, TEXT_LIMIT).join('') : shown;
};
