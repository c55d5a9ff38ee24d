import { makeMemoryReadModels } from '../../support/memory-read-models.js';
import { makeMemorySeal } from '../../support/memory-seal.js';
import { makeMemoryStorage } from '../../support/memory-storage/memory-storage.js';
import { inOnePiece } from './in-one-piece.js';
import type { MakeStore } from './stores.js';

export const makeMemoryStore: MakeStore = ({ clock }) => {
  const storage = makeMemoryStorage({ clock });
  const seal = makeMemorySeal(clock, storage);
  return Promise.resolve({
    storage,
    erasedRows: storage.erasedRows,
    texts: () => Promise.resolve(storage.texts()),
    seal,
    queries: inOnePiece(makeMemoryReadModels({ storage, seal })),
  });
};
