import type { Answer, MakeClient } from '../client.js';
import { Api, type Error, type HttpResponse } from './made/api.js';
import { websitesIn } from './made/narrows.js';

type Good<A> = HttpResponse<A, unknown>;

/** The generated code throws the response when it is no success. */
const answer = async <A, B>(sent: Promise<Good<A>>, take: (good: Good<A>) => B | Promise<B>): Promise<Answer<B>> => {
  try {
    return { ok: true, value: await take(await sent) };
  } catch (refused) {
    if (!(refused instanceof Response)) throw refused;
    // reason: the generated code has put the error there
    const { error } = refused as HttpResponse<unknown, Error | null>;
    return { ok: false, status: refused.status, code: error?.code };
  }
};

const dataOf = <A>({ data }: Good<A>): A => data;

export const makeClient: MakeClient = (baseUrl, token) => {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const as = { baseUrl, baseApiParams: { headers } };
  const { api, audit } = new Api(as);
  return {
    create: (name, key) => {
      const keyed = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
      return answer(api.createBusiness({ name, city: 'Berlin' }, keyed), dataOf);
    },
    get: (id) => answer(api.getBusiness(id), dataOf),
    list: (name, limit, after) =>
      answer(api.listBusinesses({ name, limit, after }), (good) => ({
        businesses: good.data,
        link: good.headers.get('Link'),
      })),
    update: (id, revision, website) =>
      answer(api.updateBusiness(id, { website, city: null }, { headers: { 'If-Match': `"${revision}"` } }), dataOf),
    createDocument: (name) => answer(api.createDocument({ name }), dataOf),
    createByForm: { cannot: 'of two media types it writes JSON alone' },
    putFile: (id, file, originalName) => {
      // the generated code writes a body of bytes as JSON, which is {}
      const ofBytes = new Api({ ...as, customFetch: (url, request) => fetch(url, { ...request, body: file }) });
      const typed = { headers: { 'Content-Type': 'application/octet-stream' } };
      return answer(ofBytes.api.putDocumentFile(id, new File([file], originalName), { originalName }, typed), dataOf);
    },
    download: (id) => answer(api.getDocumentFile(id), (response) => response.arrayBuffer()),
    websitesSet: (id) => answer(api.listBusinessEvents(id), ({ data }) => websitesIn(data)),
    ledger: (entity) => answer(audit.listAllEvents({ entity }), dataOf),
  };
};
