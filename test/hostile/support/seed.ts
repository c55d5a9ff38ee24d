import { startBuiltService } from '../../bench/built-service.js';
import { makeApi } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { tokenFor } from '../../support/service-process.js';
import { type LargeRecords, seedLog } from './seed-log.js';

/** Ids of what a service is filled with before it is flooded. */
export type Seeded = LargeRecords & {
  /** For normal clients: a business to change, one that stays as it is, and a document with a small file. */
  readonly business: string;
  readonly quietBusiness: string;
  readonly document: string;
  /** A document with a file of 20 MiB. */
  readonly largeFile: string;
};

/** `businessType` of the small businesses: a list of them is short. */
export const SMALL = 'small';

const LARGE_FILE = 20 * 1024 * 1024;
const PROJECTION_LIMIT = 120_000; // ms

type Named = { readonly _id: string };

const upload = async (address: string, token: string, size: number): Promise<string> => {
  const content = Buffer.alloc(size, 'a file of a document ');
  const response = await fetch(`${address}/api/v1/document`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': FORM_TYPE },
    body: formOf({ name: 'name', content: 'with a file' }, { name: 'file', content, filename: 'file.txt' }),
  });
  if (response.status !== 200) throw new Error(`upload: ${response.status}`);
  return ((await response.json()) as Named)._id; // reason: POST answers a document
};

/** Creates what normal clients use, when the rows show all of the log: the answer to a write then says so. */
const seedSmall = async (address: string): Promise<Omit<Seeded, keyof LargeRecords>> => {
  const token = await tokenFor('admin', 'alice');
  const { send, json } = makeApi(address, token);
  const create = async (name: string): Promise<string> =>
    (await json<Named>('POST', '/business', { name, businessType: SMALL }))._id;
  const isProjected = async (): Promise<boolean> => {
    const answer = await send('POST', '/business', { name: 'a business', businessType: SMALL });
    return answer.status === 200 && answer.headers.get('X-Projected') === null;
  };
  if (!(await eventually(isProjected, (is) => is, PROJECTION_LIMIT))) throw new Error('the rows are still behind');
  return {
    business: await create('a business that changes'),
    quietBusiness: await create('a business that stays as it is'),
    document: await upload(address, token, 1024),
    largeFile: await upload(address, token, LARGE_FILE),
  };
};

/** Fills a new data directory, by means of a service that is started for it and stopped. */
export const seed = async (dataDir: string): Promise<Seeded> => {
  const large = await seedLog(dataDir);
  const service = await startBuiltService(dataDir);
  return { ...large, ...(await seedSmall(service.address).finally(service.stop)) };
};
