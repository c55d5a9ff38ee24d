import { generateKeyPairSync, sign } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { parseSealVectors } from '../support/seal-vectors.js';

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;

const littleEndian = (value: bigint): string =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex');
const fromLittleEndian = (hex: string): bigint => BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`);

/** What verify.py thinks of signatures: public key, message and signature in hex. */
const verifies = (
  cases: ReadonlyArray<readonly [key: string, message: string, signature: string]>,
): ReadonlyArray<boolean> => {
  const program =
    'import json, sys; sys.dont_write_bytecode = True; sys.path.insert(0, "verifiers"); import verify\n' +
    'print(json.dumps([verify.ed25519_verifies(*map(bytes.fromhex, case)) for case in json.load(sys.stdin)]))';
  // reason: a list of what Python's bool gives
  return JSON.parse(
    execFileSync('python3', ['-c', program], { input: JSON.stringify(cases) }).toString(),
  ) as ReadonlyArray<boolean>;
};

// RFC 8032, 7.1, tests 1 to 3
const VECTORS = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

describe('the Ed25519 of verify.py', () => {
  before(function () {
    needs(this, hasPython(), 'python3, in which the verifier is written');
  });

  it('verifies the vectors of RFC 8032', () => {
    expect(verifies(VECTORS)).to.deep.equal([true, true, true]);
  });

  it('verifies what Node has signed, and nothing that differs from it', () => {
    const cases = Array.from({ length: 40 }, (_, at) => {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const message = Buffer.alloc(at, at);
      const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
      return [key, message.toString('hex'), sign(null, message, privateKey).toString('hex')] as const;
    });
    expect(verifies(cases)).to.deep.equal(cases.map(() => true));
    const flipped = (hex: string, at: number): string =>
      hex.slice(0, at) + (Number.parseInt(hex[at]!, 16) ^ 1).toString(16) + hex.slice(at + 1);
    const wrong = cases.flatMap(([key, message, signature], at) => [
      [key, `${message}00`, signature] as const,
      [key, message, flipped(signature, 3 * at)] as const,
      [flipped(key, at), message, signature] as const,
      [cases[(at + 1) % cases.length]![0], message, signature] as const,
    ]);
    expect(verifies(wrong)).to.deep.equal(wrong.map(() => false));
  });

  it('takes one spelling of a signature and of a key', () => {
    const [key, message, signature] = VECTORS[0];
    const [r, s] = [signature.slice(0, 64), signature.slice(64)];
    // The neutral point, y = 1, as a key: [k]A is neutral too, so that any R = [S]B fits where the spelling does not count.
    const neutral = littleEndian(1n);
    const [zero, one] = [littleEndian(0n), littleEndian(1n)];
    const base = '5866666666666666666666666666666666666666666666666666666666666666'; // y = 4/5
    expect(
      verifies([
        [key, message, r + littleEndian(fromLittleEndian(s) + ORDER)],
        [key, message, signature.slice(0, -2)],
        [key, message, `${signature}00`],
        [neutral, message, base + one],
        [neutral, message, neutral + zero],
        [neutral, message, littleEndian(P + 1n) + zero],
        [littleEndian(P + 1n), message, neutral + zero],
        [littleEndian(1n + 2n ** 255n), message, neutral + zero],
        [littleEndian(2n), message, neutral + zero],
      ]),
    ).to.deep.equal([false, false, false, true, true, false, false, false, false]);
  });

  it('opens the notes that Go has signed', async () => {
    const { notes } = parseSealVectors(await readFile('test/fixtures/seal-vectors.json', 'utf8'));
    const program =
      'import json, sys; sys.dont_write_bytecode = True; sys.path.insert(0, "verifiers"); import verify\n' +
      'for key, note in json.load(sys.stdin): print(json.dumps(verify.open_note(note.encode(), verify.trust_in(key, None).sealers, "the note")[:2]))';
    const input = JSON.stringify(
      notes.flatMap(({ verifier, note, both }) => [
        [verifier, note],
        [verifier, both],
      ]),
    );
    const opened = execFileSync('python3', ['-c', program], { input }).toString().trim().split('\n');
    expect(opened.map((line) => JSON.parse(line) as unknown)).to.deep.equal(
      notes.flatMap(({ text }) => [
        [text, 1],
        [text, 2],
      ]),
    );
  });
});
