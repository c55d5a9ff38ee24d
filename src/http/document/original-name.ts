import { isBlank, TEXT_LIMIT } from '../fields/text.js';

const isFolder = (name: string): boolean => name === '.' || name === '..';

/**
 * The name of an uploaded file as it is shown: the base name of what the client sent, without control characters and
 * lone surrogates, cut to the limit of any text; undefined when nothing is left that anybody sees. It names nothing in
 * storage.
 */
export const originalNameOf = (clientName: string): string | undefined => {
  const base = clientName.slice(Math.max(clientName.lastIndexOf('/'), clientName.lastIndexOf('\\')) + 1);
  const shown = base.replace(/[\p{Cc}\p{Cs}]/gu, '');
  const cut = shown.length > TEXT_LIMIT ? Array.from(shown).slice(0, TEXT_LIMIT).join('') : shown;
  return isBlank(cut) || isFolder(cut) ? undefined : cut;
};
