import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as fc from 'fast-check';
import { openNote, signNote } from '../../src/seal/note.js';
import { parseSigner, parseVerifier, renderSigner, renderVerifier, signerOf } from '../../src/seal/note-key.js';
import { leafDataOf, right } from '../support/sealed-tree.js';

const signerNamed = (name: string, seed = name) => right(signerOf(name, leafDataOf(seed, 0)));

const ours = signerNamed('log.example/a');
const other = signerNamed('witness.example');
const text = 'It is true.\n\nSo are we, says ünïcödé.\n';
const note = right(signNote(text, ours));

/** The note with the signature of another key before ours. */
const signedByBoth = (): string => {
  const line = right(signNote(text, other)).slice(text.length + 1);
  return `${text}\n${line}${note.slice(text.length + 1)}`;
};

const open = (of: string | Uint8Array, known = [ours.verifier]) => openNote(Buffer.from(of), known);

// the example in the documentation of Go's package
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const QUOTE = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const BY_PETER =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const BY_ENOCH =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';

describe('a signed note', () => {
  it('is opened by who knows the key', () => {
    expect(open(note)).to.deep.equal(E.right({ text, signers: [ours.verifier] }));
  });

  it('is opened when it is the example of Go, with a signature by a key that is not known', () => {
    const peter = right(parseVerifier(PETER));
    expect(right(open(`${QUOTE}\n${BY_PETER}`, [peter])).text).to.equal(QUOTE);
    expect(right(open(`${QUOTE}\n${BY_PETER}${BY_ENOCH}`, [peter])).signers).to.deep.equal([peter]);
    expect(right(open(`${QUOTE}\n${BY_ENOCH}${BY_PETER}`, [peter])).signers).to.deep.equal([peter]);
  });

  it('names each known key that signed it', () => {
    const known = [ours.verifier, other.verifier, signerNamed('absent.example').verifier];
    expect(right(open(signedByBoth(), known)).signers).to.have.members([ours.verifier, other.verifier]);
  });

  it('is not opened when no known key has signed it', () => {
    const refused = E.left('no known key has signed the note');
    expect(open(note, [])).to.deep.equal(refused);
    expect(open(note, [other.verifier])).to.deep.equal(refused);
    // the same name, and the same key under another name
    expect(open(note, [signerNamed('log.example/a', 'another secret').verifier])).to.deep.equal(refused);
    expect(open(note, [signerNamed('log.example/b', 'log.example/a').verifier])).to.deep.equal(refused);
  });

  it('is not opened when the signature of one known key does not fit, though that of another does', () => {
    const known = [ours.verifier, other.verifier];
    const forged = signedByBoth().replace(/(witness\.example .{8})./, '$1A');
    expect(forged).not.to.equal(signedByBoth());
    expect(open(forged, known)).to.deep.equal(
      E.left(`the signature of witness.example+${other.verifier.id} does not fit the text of the note`),
    );
    expect(E.isRight(open(forged))).to.equal(true);
  });

  it('is not opened with any one byte changed, added or left out', () => {
    const bytes = Buffer.from(note);
    const change = fc.record({ at: fc.nat(bytes.length - 1), by: fc.nat(255), drop: fc.nat(1), add: fc.nat(1) });
    fc.assert(
      fc.property(change, ({ at, by, drop, add }) => {
        const changed = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(add, by), bytes.subarray(at + drop)]);
        fc.pre(!changed.equals(bytes));
        expect(E.isLeft(open(changed)), changed.toString()).to.equal(true);
      }),
      { numRuns: 10_000 },
    );
  });

  it('is not opened with any one bit changed', () => {
    const bytes = Buffer.from(note);
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
      expect(E.isLeft(open(changed)), `bit ${bit}`).to.equal(true);
    }
  });

  it('says why it is not a note', () => {
    const signature = note.slice(text.length + 1);
    for (const [malformed, why] of [
      ['', 'the note has no empty line before its signatures'],
      [text.replace('\n\n', '\n'), 'the note has no empty line before its signatures'],
      [`${text}\n`, 'the note does not end with a line that signs it'],
      [note.slice(0, -1), 'the note does not end with a line that signs it'],
      [signedByBoth().slice(0, -1), 'the note does not end with a line that signs it'],
      [`\ufeff${note}`, `the signature of log.example/a+${ours.verifier.id} does not fit the text of the note`],
      [`${note}more\n`, 'a line after the text of the note is no signature'],
      [`${text}\n${signature.replace('—', '-')}`, 'a line after the text of the note is no signature'],
      [`${text}\n${signature.replace('— ', '—  ')}`, 'a line after the text of the note is no signature'],
      [note.replace(/\n$/, ' \n'), 'a line after the text of the note is no signature'],
      [`${text}\n— a AAAAAA==\n`, 'a line after the text of the note is no signature'],
      [`${text}\n— a+b AAAAAAA=\n`, 'a line after the text of the note is no signature'],
      [`${text}\n— a AAAAAAB=\n`, 'a line after the text of the note is no signature'],
      [`${text}\n${signature.repeat(101)}`, 'the note has more than 100 signatures'],
      [note.replace('true', 'tr\tue'), 'the note has a control character'],
      [note.replace('\n', '\r\n'), 'the note has a control character'],
    ] as const)
      expect(open(malformed), malformed).to.deep.equal(E.left(why));
    expect(open(Buffer.concat([Buffer.of(0xff), Buffer.from(note)]))).to.deep.equal(E.left('the note is not UTF-8'));
    expect(E.isRight(open(`${text}\n${signature.repeat(100)}`))).to.equal(true);
  });

  it('is not signed when it could not be opened', () => {
    for (const unfit of ['', 'no end of line', 'a\ttab\n', 'a\r\n', '\ud800\n'])
      expect(signNote(unfit, ours), JSON.stringify(unfit)).to.deep.equal(
        E.left('the text of a note ends with the end of a line and has no control characters'),
      );
  });
});

describe('the keys of notes', () => {
  it('are read as they were written', () => {
    expect(right(parseVerifier(PETER)).name).to.equal('PeterNeumann');
    expect(renderVerifier(right(parseVerifier(PETER)))).to.equal(PETER);
    const verifier = right(parseVerifier(renderVerifier(ours.verifier)));
    expect(E.isRight(open(note, [verifier]))).to.equal(true);
    const signer = right(parseSigner(renderSigner(ours)));
    expect(renderSigner(signer)).to.equal(renderSigner(ours));
    expect(right(signNote(text, signer))).to.equal(note);
  });

  it('have names without space and plus', () => {
    for (const name of ['', ' ', 'a b', 'a+b', 'a\u00a0b', 'a\u2028b', 'a\u3000', 'a\nb', 'a\0', '\ud800'])
      expect(signerOf(name, leafDataOf('', 0)), JSON.stringify(name)).to.deep.equal(
        E.left('the name of a key must not be empty, and has no space and no plus'),
      );
    expect(E.isRight(signerOf('größe.example/日誌', leafDataOf('', 0)))).to.equal(true);
  });

  it('have secrets of 32 bytes', () => {
    const refused = E.left('the secret of an Ed25519 key has 32 bytes');
    expect(signerOf('a', Buffer.alloc(31))).to.deep.equal(refused);
    expect(signerOf('a', Buffer.alloc(33))).to.deep.equal(refused);
  });

  it('have one spelling', () => {
    const verifier = renderVerifier(ours.verifier);
    const signer = renderSigner(ours);
    for (const [key, parse] of [
      [verifier, parseVerifier],
      [signer, parseSigner],
    ] as const) {
      expect(E.isRight<unknown>(parse(key))).to.equal(true);
      for (let at = 0; at < key.length; at += 1)
        for (const character of '+/=AaBbZz09_- \n') {
          const changed = key.slice(0, at) + character + key.slice(at + 1);
          if (changed !== key) expect(E.isLeft(parse(changed)), changed).to.equal(true);
        }
      for (const longer of [`${key}\n`, ` ${key}`, `${key}=`, `${key}+`])
        expect(E.isLeft(parse(longer))).to.equal(true);
    }
  });

  it('say what is wrong, and never the secret', () => {
    const { name, id } = ours.verifier;
    const key = (bytes: ReadonlyArray<number>): string => `${name}+${id}+${Buffer.from(bytes).toString('base64')}`;
    // with the id that this name would have
    const withName = (bad: string): string => {
      const bytes = Buffer.of(1, ...ours.verifier.publicKey);
      const hash = createHash('sha256').update(`${bad}\n`).update(bytes).digest('hex');
      return `${bad}+${hash.slice(0, 8)}+${bytes.toString('base64')}`;
    };
    expect(withName(name)).to.equal(renderVerifier(ours.verifier));
    for (const [malformed, why] of [
      ['', 'the verifier key is not of the form name+id+base64'],
      [`${name}+${id}`, 'the verifier key is not of the form name+id+base64'],
      [`${name}+${id.toUpperCase()}0+AQ==`, 'the verifier key is not of the form name+id+base64'],
      [withName('a b'), 'the verifier key is not of the form name+id+base64'],
      [withName(''), 'the verifier key is not of the form name+id+base64'],
      [key([2, ...ours.verifier.publicKey]), 'the verifier key is not for Ed25519'],
      [key([1, ...ours.verifier.publicKey, 0]), 'the verifier key has not the length of an Ed25519 key'],
      [key([1, ...other.verifier.publicKey]), 'the id in the verifier key is not that of its name and key'],
    ] as const)
      expect(parseVerifier(malformed), malformed).to.deep.equal(E.left(why));
    expect(parseSigner(renderVerifier(ours.verifier))).to.deep.equal(
      E.left('the signing key does not begin with PRIVATE+KEY+'),
    );
    expect(parseSigner(`PRIVATE+KEY+${key([1, ...other.seed])}`)).to.deep.equal(
      E.left('the id in the signing key is not that of its name and key'),
    );
  });
});
