// the scheme, a user and a password, hosts and path, options
const PARTS = /^([a-z+]+:\/\/)(?:([^:@/?#]*)(:[^@/?#]*)?@)?([^@?#]*)(?:\?([^#@]*))?$/;

/** Whether something follows the colon of a host that is no port: a password may, whose rest the shell has cut off. */
const hasOtherThanPort = (hosts: string): boolean => /:(?!\d{0,5}(?:[,/]|$))/.test(hosts.replaceAll(/\[[^\]]*\]/g, ''));

/**
 * The scheme, user, hosts, path and switches of a connection string alone: the password, and other options, which may hold
 * one, are out of sight. Where it cannot be told what is what, only the scheme.
 */
export const maskedAddress = (address: string): string => {
  const [, scheme = '', user, password, rest = '', options] = PARTS.exec(address) ?? [];
  if (scheme === '' || hasOtherThanPort(rest)) return `${address.replace(/:.*$/s, '')}://***`;
  const masked = user === undefined ? '' : `${user}${password === undefined ? '' : ':***'}@`;
  const shown = options?.split('&').map((option) => (/^\w+=(true|false)$/.test(option) ? option : '***'));
  return `${scheme}${masked}${rest}${shown === undefined ? '' : `?${shown.join('&')}`}`;
};

/** The address that an argument is, or that stands behind the `=` of an option. */
const addressIn = (argument: string): string | undefined => /^(?:-[^=]*=)?(\s*[\w+.-]+:\/\/.*)$/s.exec(argument)?.[1];

/** A message in which each address is masked that it quotes from the command line, also where it quotes it as a path. */
export const withMaskedAddresses = (message: string, args: ReadonlyArray<string>): string =>
  args
    .map(addressIn)
    .filter((address) => address !== undefined)
    // of two of which one begins with the other
    .sort((one, other) => other.length - one.length)
    .flatMap((address) => [address, address.replaceAll(/\/{2,}/g, '/')].map((quoted) => [quoted, address] as const))
    .reduce((text, [quoted, address]) => text.replaceAll(quoted, maskedAddress(address.trim())), message);
