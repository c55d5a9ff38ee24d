import { either as E } from 'fp-ts';
import { packageFor, thisHost } from '../../../../src/infrastructure/embedded/installation/host-platform.js';
import {
  findInstallation,
  type Installation,
} from '../../../../src/infrastructure/embedded/installation/installation.js';

/** The package that npm installed for this machine. */
export const installed = async (): Promise<Installation> => {
  const name = packageFor(thisHost());
  if (E.isLeft(name)) throw new Error(name.left.message);
  const found = await findInstallation(name.right);
  if (E.isLeft(found)) throw new Error(found.left.message);
  return found.right;
};
