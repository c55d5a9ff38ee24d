/**
 * Floods the built service with clients on raw sockets, and prints what they cost: `npm run test:floods`, or some of
 * them with `-- --grep 'slow headers'`. FLOODS_JSON=FILE keeps the figures. Needs Linux, which counts them in /proc.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { needs } from '../../support/needs.js';
import { askRun } from '../../support/once-a-run/ask.js';
import { tokenFor } from '../../support/service-process.js';
import { type Flood, type FloodResult, runFlood } from '../support/flood.js';
import { floodTable } from '../support/flood-table.js';
import { normalRequests, type Tokens } from '../support/requests.js';
import { seed, type Seeded } from '../support/seed.js';
import { startTarget, type Target } from '../support/target.js';
import { floodsOf } from './floods-of.js';

const SEED_LIMIT = 300_000; // ms
const FLOOD_LIMIT = 600_000; // ms

/** The names are known before there is anything to flood. */
const nothing: Seeded = {
  ...{ business: '', quietBusiness: '', document: '', largeFile: '' },
  ...{ owned: '', longOwned: '', longBusiness: '', longDocument: '' },
};
const nobody: Tokens = { viewer: '', auditor: '', editor: '', somebody: '' };
const names = floodsOf(nothing, nobody).map(({ name }) => name);

const keep = (results: ReadonlyArray<FloodResult>): void => {
  const file = process.env['FLOODS_JSON'];
  if (file !== undefined && file !== '') writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
};

describe('the service under a flood', () => {
  const results: Array<FloodResult> = [];
  let dataDir: string | undefined;
  let seeded: Seeded;
  let tokens: Tokens;
  let running: { readonly target: Target; readonly openFiles: number | undefined } | undefined;
  let isSound = true;

  const stop = async (): Promise<void> => {
    await running?.target.stop();
    running = undefined;
  };

  /** The service that withstood the last flood, or another one. */
  const targetFor = async ({ openFiles }: Flood): Promise<Target> => {
    if (running !== undefined && (running.openFiles !== openFiles || !isSound)) await stop();
    // reason: `before` has made it
    running ??= { target: await startTarget(dataDir!, openFiles), openFiles };
    return running.target;
  };

  before(async function () {
    needs(this, existsSync('/proc/self/clear_refs'), 'Linux with /proc');
    this.timeout(SEED_LIMIT);
    await askRun('build');
    dataDir = await mkdtemp(path.join(tmpdir(), 'floods-'));
    seeded = await seed(dataDir);
    tokens = {
      viewer: await tokenFor('viewer', 'viewer'),
      auditor: await tokenFor('auditor', 'auditor'),
      editor: await tokenFor('editor', 'editor'),
      somebody: await tokenFor('editor', 'somebody'),
    };
  });

  after(async function () {
    this.timeout(SEED_LIMIT);
    await stop();
    if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
    if (results.length > 0) console.log(`\n${floodTable(results)}\n`);
  });

  for (const name of names)
    it(name, async function () {
      this.timeout(FLOOD_LIMIT);
      const flood = floodsOf(seeded, tokens).find((each) => each.name === name)!;
      const target = await targetFor(flood);
      isSound = false;
      const result = await runFlood(target, flood, normalRequests(seeded, tokens));
      isSound = result.faults.length === 0;
      results.push(result);
      keep(results);
      expect(result.faults).to.deep.equal([]);
    });
});
