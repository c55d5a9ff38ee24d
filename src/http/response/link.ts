import type { QueryValues } from '../parameters/query.js';

/**
 * A `Link` to the page that follows (RFC 8288): the parameters that the operation knows, with some of them replaced. It is
 * relative to the address of the request, so that what a proxy has put before the path stays there.
 */
export const nextLink = (query: QueryValues, replaced: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, ...replaced }))
    for (const each of [value].flat()) next.append(name, each);
  return ['Link', `<?${next.toString()}>; rel="next"`];
};
