/** What tokens are verified with; the key pins the algorithm: HS256, or RS256/ES256 by the kind of the key. */
export type VerificationKey =
  | { readonly _tag: 'Secret'; readonly secret: string }
  | { readonly _tag: 'PublicKey'; readonly pem: string }
  | { readonly _tag: 'Jwks'; readonly uri: string };

export type TokenVerification = {
  readonly key: VerificationKey;
  /** Required claims, where configured. */
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
};
