import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { sealingKey } from '../../src/composition/sealing-key.js';
import { systemAdapters } from '../../src/composition/system-adapters.js';
import { readConfig } from '../../src/config.js';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const [newer, older] = ['one event key of at least 32 bytes', 'another event key of at least 32 bytes'];

/** The id of the key, and what is said in the log. */
const sealingKeyOf = async (environment: Readonly<Record<string, string>>) => {
  const config = readConfig(environment);
  if (E.isLeft(config)) throw new Error(config.left.join('\n'));
  const said: Array<string> = [];
  const key = await sealingKey(systemAdapters.keys, systemRuntime.random, config.right, {
    warn: (message) => said.push(message),
  });
  return { id: key?.id, said };
};

describe('the key that a process seals events with', () => {
  it('is the newest', async () => {
    expect(await sealingKeyOf({ EVENT_KEY: `${newer}\n${older}` })).to.deep.equal({
      id: makeEventKey(newer).id,
      said: [],
    });
  });

  it('is none on a database of others without a setting, and the log says so', async () => {
    expect(await sealingKeyOf({ DATABASE_URL: 'postgres://db/app' })).to.deep.equal({
      id: undefined,
      said: [
        'events get no mac: who can write into the database can append in the name of others. Set EVENT_KEY_FILE.',
      ],
    });
  });
});
