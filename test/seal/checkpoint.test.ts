import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { openCheckpoint, parseCheckpoint, signCheckpoint } from '../../src/seal/checkpoint.js';
import { signNote } from '../../src/seal/note.js';
import { signerOf } from '../../src/seal/note-key.js';
import { leafDataOf, right } from '../support/sealed-tree.js';

const ours = right(signerOf('log.example/a', leafDataOf('key', 0)));
const other = right(signerOf('log.example/b', leafDataOf('key', 1)));
const root = leafDataOf('root', 0);
const [origin, base64] = [ours.verifier.name, root.toString('base64')];
const note = right(signCheckpoint({ size: 20_852_163, root }, ours));

describe('a checkpoint', () => {
  it('is a note of three lines, signed by the key that has its origin for a name', () => {
    expect(note.slice(0, note.lastIndexOf('\n\n') + 1)).to.equal(`${origin}\n20852163\n${base64}\n`);
    expect(openCheckpoint(Buffer.from(note), [ours.verifier])).to.deep.equal(
      E.right({ origin, size: 20_852_163, root }),
    );
  });

  it('may be of the empty tree', () => {
    const empty = right(signCheckpoint({ size: 0, root }, ours));
    expect(right(openCheckpoint(Buffer.from(empty), [ours.verifier])).size).to.equal(0);
  });

  it('is not believed when another known log has signed it', () => {
    const known = [ours.verifier, other.verifier];
    const foreign = right(signNote(`${origin}\n7\n${base64}\n`, other));
    expect(openCheckpoint(Buffer.from(foreign), known)).to.deep.equal(
      E.left('the checkpoint has another origin than the key that signed it'),
    );
  });

  it('is not believed when it is a note about something else', () => {
    const letter = right(signNote('Dear all,\n', ours));
    expect(openCheckpoint(Buffer.from(letter), [ours.verifier])).to.deep.equal(
      E.left('the checkpoint has not exactly three lines'),
    );
    expect(openCheckpoint(Buffer.from('Dear all,\n'), [ours.verifier])).to.deep.equal(
      E.left('the note has no empty line before its signatures'),
    );
  });

  it('has one spelling', () => {
    for (const [text, why] of [
      ['', 'the checkpoint has not exactly three lines'],
      [`${origin}\n7\n${base64}`, 'the checkpoint has not exactly three lines'],
      [`${origin}\n7\n${base64}\nmore`, 'the checkpoint has not exactly three lines'],
      [`${origin}\n7\n${base64}\nmore\n`, 'the checkpoint has not exactly three lines'],
      [`${origin}\n7\n${base64}\n\n`, 'the checkpoint has not exactly three lines'],
      [`\n7\n${base64}\n`, 'the checkpoint has no origin'],
      ...['', '07', '+7', '-7', ' 7', '7 ', '7.0', '7e0', '0x7', '٧', '9007199254740992'].map(
        (size): readonly [string, string] => [
          `${origin}\n${size}\n${base64}\n`,
          'the size in the checkpoint is not a whole number',
        ],
      ),
      ...['', base64.slice(0, -1), ` ${base64}`, `${base64}=`, base64.slice(4), root.toString('hex')].map(
        (text): readonly [string, string] => [
          `${origin}\n7\n${text}\n`,
          'the root in the checkpoint is not 32 bytes in base64',
        ],
      ),
    ] as ReadonlyArray<readonly [string, string]>)
      // reason: pairs, all of them
      expect(parseCheckpoint(text), text).to.deep.equal(E.left(why));
    expect(right(parseCheckpoint(`${origin}\n9007199254740991\n${base64}\n`)).size).to.equal(2 ** 53 - 1);
  });
});
