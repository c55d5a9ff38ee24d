import { isBlank, TEXT_LIMIT } from '../fields/text.js';

/** What is seen of a name that nobody sees, and of those of folders. */
const NAMELESS = ['', '.', '..'];

/**
 * The name of an uploaded file as it is shown: the base name of what the client sent, without control characters and
 * lone surrogates, cut to the limit of any text; undefined when nothing is left that anybody sees, or the name of a
 * folder. It names nothing in storage.
 */
export const originalNameOf = (clientName: string): string | undefined => {
  const base = clientName.slice(Math.max(clientName.lastIndexOf('/'), clientName.lastIndexOf('\\')) + 1);
  const shown = base.replace(/[\p{Cc}\p{Cs}]/gu, '');
  const cut = shown.length > TEXT_LIMIT ? Array.from(shown).slice(0, TEXT_LIMIT).join('') : shown;
  const seen = Array.from(cut).filter((character) => !isBlank(character));
  return NAMELESS.includes(seen.join('')) ? undefined : cut;
};
