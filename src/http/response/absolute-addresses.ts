import type { HttpResponse } from './http-response.js';

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/**
 * The value of a header as the public sees it: `Location` is a path, or relative to `path`; `Link` has a query in angle
 * brackets.
 */
const absolute = (publicUrl: string, path: string, name: string | undefined, value: string): string => {
  if (name === 'Location') return publicUrl + (value.startsWith('/') ? value : folderOf(path) + value);
  return name === 'Link' ? value.replace('<?', () => `<${publicUrl}${path}?`) : value;
};

/** Makes `Link` and `Location` absolute in the response to a request of `path`; `publicUrl` has no slash at its end. */
export const withAbsoluteAddresses = (publicUrl: string, path: string, response: HttpResponse): HttpResponse => {
  const { headers } = response;
  if (headers === undefined) return response;
  return {
    ...response,
    headers: headers.map((value, at) => (at % 2 === 0 ? value : absolute(publicUrl, path, headers[at - 1], value))),
  };
};
