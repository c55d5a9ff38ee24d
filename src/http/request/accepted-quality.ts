/** The weight that an `Accept` gives to a media type that it names (RFC 9110 §12.4.2); 0 where it does not name it. */
export const acceptedQuality = (accept: string, mediaType: string): number => {
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (type !== mediaType) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    return Number.isNaN(quality) ? 0 : quality;
  }
  return 0;
};
