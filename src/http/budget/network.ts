const GROUPS = 8;

/** Groups that one client has to itself: whoever has an IPv6 address mostly has a /64 of them. */
const OWN_GROUPS = 4;

const groupsIn = (text: string): ReadonlyArray<string> => (text === '' ? [] : text.split(':'));

/**
 * What counts as one client of those without a token: an IPv4 address, also one that is written as an IPv6 address, or the
 * /64 of an IPv6 address.
 */
export const networkOf = (address: string): string => {
  const [plain = ''] = address.split('%', 1);
  if (!plain.includes(':')) return plain;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain) ?? [];
  if (mapped !== undefined) return mapped;
  const [before = '', after] = plain.split('::');
  const [first, last] = [groupsIn(before), groupsIn(after ?? '')];
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => '0');
  const own = [...first, ...zeros, ...last].slice(0, OWN_GROUPS);
  return `${own.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
};
