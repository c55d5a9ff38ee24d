import { createHash, createHmac } from 'node:crypto';
import { expect } from 'chai';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';

const SECRETS = [32, 63, 64, 65, 200].map((length) => 'k'.repeat(length)).concat('Łódź, 32 bytes or more: 0123456789');

describe('an event key', () => {
  it('makes the HMAC-SHA256 that anyone with the key can make, of texts of every length', () => {
    const keys = SECRETS.map((secret) => ({ secret, ...makeEventKey(secret) }));
    for (const length of [0, 1, 63, 64, 65, 5_400, 5_440, 5_460, 16_319, 16_321, 100_000])
      for (const text of ['x'.repeat(length), '漢'.repeat(length), '\u{1f600}'.repeat(length)])
        for (const { secret, macOf } of keys) {
          const [, mac] = macOf(text).split('.');
          const expected = createHmac('sha256', secret).update(text).digest('base64url');
          expect(mac, `${length} characters, ${secret}`).to.equal(expected);
          const half = (text.length >> 2) << 1; // no character of two units is divided
          expect(macOf(text.slice(0, half), text.slice(half)).split('.')[1], 'in two pieces').to.equal(expected);
        }
  });

  it('is named by a digest of it, of which a `mac` begins', () => {
    for (const secret of SECRETS) {
      const { id, macOf } = makeEventKey(secret);
      const digest = createHash('sha256').update(`event key id\n${secret}`).digest('hex');
      expect(id).to.equal(digest.slice(0, 8));
      expect(macOf('text').startsWith(`${id}.`)).to.equal(true);
    }
  });
});
