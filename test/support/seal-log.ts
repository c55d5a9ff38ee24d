import pg from 'pg';
import { ledgerOf, registry } from '../../src/entities/registry.js';
import { makeLockTree } from '../../src/infrastructure/postgres/seal/lock-tree.js';
import { migrateSeal } from '../../src/infrastructure/postgres/seal/schema.js';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import type { Signer } from '../../src/seal/note-key.js';
import { signTree } from '../../src/sealing/sign-tree.js';
import { sealBy } from './seal-in-force.js';
import { right } from './sealed-tree.js';

/** Signs the ledger of a database as it is now. */
export const sealLog = async (connectionString: string, signer: Signer): Promise<SignedCheckpoint> => {
  const pool = new pg.Pool({ connectionString, max: 2 });
  try {
    await migrateSeal(pool);
    const [lockTree, origin] = [makeLockTree(pool, ledgerOf(registry).name), signer.verifier.name];
    const signed = right(await signTree(lockTree, sealBy(signer), { origin, largest: undefined }));
    if (signed === undefined) throw new Error('there are no events');
    return signed;
  } finally {
    await pool.end();
  }
};
