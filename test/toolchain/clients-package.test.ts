import { readFile } from 'node:fs/promises';
import { expect } from 'chai';

type Lock = { readonly packages: Readonly<Record<string, { readonly resolved?: string }>> };

describe('the package of the generated clients', () => {
  it('pins each version exactly', async () => {
    const { devDependencies } = JSON.parse(await readFile('test/clients/package.json', 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    expect(Object.values(devDependencies)).to.not.be.empty;
    expect(Object.values(devDependencies).filter((version) => !/^\d+[.]\d+[.]\d+$/.test(version))).to.deep.equal([]);
  });

  it('has a lock that names no registry', async () => {
    const { packages } = JSON.parse(await readFile('test/clients/package-lock.json', 'utf8')) as Lock;
    expect(Object.keys(packages)).to.include('node_modules/orval');
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).to.deep.equal([]);
  });
});
