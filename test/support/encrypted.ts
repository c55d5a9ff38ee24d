import { KeyTree } from '../../src/event-sourcing/encryption/key-tree.js';
import type { Encryption, EncryptionRules } from '../../src/event-sourcing/encryption/encryption.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** As those of the service, for events that are none of its own, too. */
const RULES: EncryptionRules = {
  isSecret: (stream, type) => !stream.startsWith('operations-') && !type.endsWith('Erased'),
  hasOwnKey: (type) => type.startsWith('BusinessOwner'),
};

/** Keys that can be replaced by others. */
export const makeEncryption = (): Encryption & { tree: KeyTree } => {
  const { random } = systemRuntime;
  const encryption = { rules: RULES, random, tree: KeyTree.grow(random), keys: () => encryption.tree };
  return encryption;
};
