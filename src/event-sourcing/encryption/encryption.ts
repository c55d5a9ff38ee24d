import type { Random } from '../random.js';
import type { Revision, StreamName } from '../recorded-event.js';
import { type KeyPath, keyPath, type KeyTree } from './key-tree.js';

/** Which events are encrypted, and by which key. */
export type EncryptionRules = {
  readonly isSecret: (stream: StreamName, type: string) => boolean;
  /** Whether an event of this type is about another person than its record: then it has a key of its own. */
  readonly hasOwnKey: (type: string) => boolean;
};

export type Encryption = {
  readonly rules: EncryptionRules;
  /** The keys as they are now: after each erasure another tree. */
  readonly keys: () => KeyTree;
  /**
   * Resolves when this process has asked, some seconds ago at most, which keys others have destroyed, or could not. Nothing is
   * opened before. Without it others destroy none.
   */
  readonly refreshed?: () => Promise<void>;
  /** Asks now, for who compares what another process has made. Resolves also where nobody answers. */
  readonly refresh?: () => Promise<void>;
  readonly random: Random;
};

type Place = { readonly stream: StreamName; readonly revision: Revision; readonly type: string };

/** The place of the key of an event. */
export const keyPathOf = ({ hasOwnKey }: EncryptionRules, place: Place): KeyPath =>
  keyPath(place.stream, hasOwnKey(place.type) ? place.revision : 'record');
