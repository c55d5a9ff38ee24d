import { expect } from 'chai';
import { contentOf } from '../../support/bodies.js';
import { idOf, type Reply } from '../../support/client.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

const FIRST = contentOf(200_000);
const SECOND = Buffer.from('the second version');

/** What is promised of files. */
export const filesContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('files over HTTP', () => {
    let place: string;

    const send = (method: string, path: string, content: Buffer): Promise<Reply> => {
      const file = { name: 'file', content, filename: 'plan.bin', type: 'application/x-plan' };
      const body = formOf({ name: 'name', content: 'Floor plan' }, file);
      return call(method, path, { body, headers: { 'content-type': FORM_TYPE } });
    };
    const get = (query = '', headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
      call('GET', `${place}/file${query}`, { headers });

    before(async () => {
      place = `/document/${idOf(await send('POST', '/document/', FIRST))}`;
    });

    it('gives back every byte, all of them or a range', async () => {
      const whole = await get();
      expect([whole.status, whole.bytes.equals(FIRST)]).to.deep.equal([200, true]);
      const range = await get('', { range: 'bytes=100000-150000' });
      expect([range.status, range.bytes.equals(FIRST.subarray(100_000, 150_001))]).to.deep.equal([206, true]);
    });

    it('gives the newest version, and earlier ones by their revision', async () => {
      const replaced = await send('PUT', place, SECOND);
      expect([replaced.status, (replaced.json as { size: number }).size]).to.deep.equal([200, SECOND.length]);
      expect((await get()).bytes.equals(SECOND)).to.equal(true);
      expect((await get('?revision=0')).bytes.equals(FIRST)).to.equal(true);
    });

    it('lists the document with what is known of its newest file', async () => {
      const { json } = await call('GET', '/document/?q=floor');
      expect(json).to.deep.equal([(await call('GET', place)).json]);
    });
  });
