import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its key, as PEM. */
export type Certificate = { readonly certificate: string; readonly key: string };

export type Authority = Certificate & {
  /** For loopback, good for servers and for clients. */
  readonly issue: (name: string) => Certificate;
};

// X.509 in DER, as much of it as two nodes on loopback need (RFC 5280)

const tlv = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(contents);
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body]);
  const length = Buffer.of(body.length >> 8, body.length & 0xff);
  return Buffer.concat([Buffer.of(tag, 0x82), length, body]);
};
const sequence = (...contents: ReadonlyArray<Uint8Array>): Buffer => tlv(0x30, ...contents);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const octets = (content: Uint8Array): Buffer => tlv(0x04, content);
const bits = (content: Uint8Array): Buffer => tlv(0x03, Buffer.of(0), content);
const time = (date: Date): Buffer =>
  tlv(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string): Buffer => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))));
const isAuthority = sequence(oid('551d13'), octets(sequence(tlv(0x01, Buffer.of(0xff)))));
const isLoopback = sequence(
  oid('551d11'),
  octets(sequence(tlv(0x82, Buffer.from('localhost')), tlv(0x87, Buffer.of(127, 0, 0, 1)))),
);

const DAY = 86_400_000;

const certify = (
  subject: string,
  publicKey: KeyObject,
  issuer: { readonly name: string; readonly key: KeyObject },
  extension: Buffer,
): string => {
  const now = Date.now();
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(issuer.name),
    sequence(time(new Date(now - DAY)), time(new Date(now + DAY))),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(extension)),
  );
  const signed = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, issuer.key)));
  return `-----BEGIN CERTIFICATE-----\n${signed.toString('base64')}\n-----END CERTIFICATE-----\n`;
};

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A certificate authority that nobody else knows. */
export const makeAuthority = (name: string): Authority => {
  const own = newKeys();
  const issuer = { name, key: own.privateKey };
  return {
    certificate: certify(name, own.publicKey, issuer, isAuthority),
    key: pem(own.privateKey),
    issue: (subject) => {
      const keys = newKeys();
      return { certificate: certify(subject, keys.publicKey, issuer, isLoopback), key: pem(keys.privateKey) };
    },
  };
};
