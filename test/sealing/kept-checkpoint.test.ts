import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { signNote } from '../../src/seal/note.js';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { openKept, openKnown, rememberKeys } from '../../src/sealing/kept-checkpoint.js';
import { checkpointOf, signerNamed } from '../support/checkpoints.js';
import { right } from '../support/sealed-tree.js';

const ORIGIN = 'log.example';
const [own, newer] = [signerNamed(ORIGIN), signerNamed(ORIGIN, 'another key')];

describe('the keys of kept checkpoints', () => {
  it('are found once for each origin, of the last hundred at least', () => {
    const asked: Array<string> = [];
    const find = rememberKeys((origin) => {
      asked.push(origin);
      return [{ verifier: signerNamed(origin).verifier }];
    });
    const names = (origin: string) => find(origin).map(({ verifier }) => verifier.name);
    for (let origin = 0; origin < 100; origin += 1) names(`log.example/${origin}`);
    asked.length = 0;
    expect([names('log.example/0'), names('log.example/99')]).to.deep.equal([['log.example/0'], ['log.example/99']]);
    expect(asked).to.deep.equal([]);
    for (let origin = 100; origin < 400; origin += 1) names(`log.example/${origin}`);
    asked.length = 0;
    names('log.example/0');
    expect(asked).to.deep.equal(['log.example/0']);
  });

  it('open what one that is in force has signed beside one that was replaced before', () => {
    const root = Buffer.alloc(32, 5);
    const text = right(signCheckpoint({ size: 5, root }, own)).split('\n\n')[0];
    const note = Buffer.from(right(signNote(`${text}\n`, own, newer)));
    const replaced = { verifier: own.verifier, last: { size: 3, root } };
    expect(right(openKnown(note, [replaced, { verifier: newer.verifier }])).size).to.equal(5);
    expect(openKnown(note, [replaced])).to.deep.equal(
      E.left('its key was replaced after 3 events, and it is not of the log of these'),
    );
  });
});

describe('a kept checkpoint', () => {
  const findKeys = () => [{ verifier: own.verifier }];
  const kept = checkpointOf(ORIGIN, 3);

  it('has the size and the origin that it is filed under', () => {
    expect(right(openKept(kept, 'in Postgres', findKeys))).to.deep.include({
      ...{ origin: ORIGIN, size: 3, where: 'in Postgres' },
    });
    for (const filed of [{ size: 4 }, { origin: 'another.example' }]) {
      const { origin, size } = { ...kept, ...filed };
      expect(openKept({ ...kept, ...filed }, 'in Postgres', findKeys)).to.deep.equal(
        E.left({
          kind: 'checkpoint-invalid',
          reason: `the checkpoint of ${size} events of ${origin}, kept in Postgres, is filed under a size or origin that it does not have`,
        }),
      );
    }
  });
});
