import { type Config, readConfig } from '../../../src/config.js';
import type { Random } from '../../../src/event-sourcing/random.js';
import { newCheckpointKey } from '../../../src/infrastructure/checkpoint-signer.js';
import { renderSigner } from '../../../src/seal/note-key.js';
import { right } from '../sealed-tree.js';
import { SECRET } from '../tokens.js';

/** A key that signs checkpoints, as settings have it. */
export const drawCheckpointKey = (random: Random): string =>
  renderSigner(right(newCheckpointKey(random, 'service.example/log')));

/** What the keys of the data are kept under. */
export const ERASURE_SECRET = `${SECRET} (of the keys of the data)`;

/**
 * Settings with every key, so that no file is read for one, and a `DATABASE_URL` that nobody connects to. With `isErasable` the
 * data is encrypted.
 */
export const memoryConfig = (checkpointKey: string, isErasable = false): Config =>
  right(
    readConfig({
      DATABASE_URL: 'postgres://nowhere/app',
      HOST: 'service.example',
      JWT_SECRET: SECRET,
      EVENT_KEY: `${SECRET} (of events)`,
      LINK_KEY: `${SECRET} (of links)`,
      SNAPSHOT_KEY: `${SECRET} (of rows)`,
      CHECKPOINT_KEY: checkpointKey,
      ...(isErasable && { ERASURE: 'true', ERASURE_KEY: ERASURE_SECRET }),
    }),
  );
