import { createHash } from 'node:crypto';
import type { Environment } from './reader.js';
import { linesOf } from './variables.js';

/** Lists, with a secret a line. */
const LISTS = ['EVENT_KEY', 'CHECKPOINT_KEY', 'ERASURE_KEY'] as const;

const KEYS = ['JWT_SECRET', 'SNAPSHOT_KEY', 'METRICS_TOKEN', 'S3_SECRET_KEY', 'LINK_KEY'] as const;

const passwordIn = (url: string): string => {
  try {
    return decodeURIComponent(new URL(url).password);
  } catch {
    return '';
  }
};

const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * The settings that give one secret for two purposes: who may use it for the one could use it for the other, and whoever
 * replaces it after a leak forgets the other. Each fault names the settings, never the secret.
 */
export const sharedSecrets = (environment: Environment): ReadonlyArray<string> => {
  const secrets = [
    ...KEYS.map((name) => [name, environment[name] ?? ''] as const),
    ...LISTS.flatMap((name) => linesOf(environment[name] ?? '').map((line) => [name, line] as const)),
    ...['DATABASE_URL', 'EVENTSTOREDB_URL'].map((name) => [name, passwordIn(environment[name] ?? '')] as const),
  ];
  const names = new Map<string, Set<string>>();
  for (const [name, given] of secrets) {
    const secret = given.trim();
    if (secret !== '') names.set(digest(secret), (names.get(digest(secret)) ?? new Set<string>()).add(name));
  }
  return [...names.values()]
    .filter(({ size }) => size > 1)
    .map((same) => `${[...same].join(', ')}: expected different secrets, because one secret is for one purpose`);
};
