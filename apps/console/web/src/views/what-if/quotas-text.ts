import type { Quotas } from './with-quotas.js';

/** Limits as one text of an address: `root.a:memory=120G,vcore=30;root.b:memory=1G`. */
export function quotasText(quotas: Quotas): string {
  return Object.entries(quotas)
    .map(([queue, max]) => {
      const limits = Object.entries(max).map(
        ([type, quantity]) => `${encodeURIComponent(type)}=${encodeURIComponent(quantity)}`,
      );
      return `${encodeURIComponent(queue)}:${limits.join()}`;
    })
    .join(';');
}

/** @returns the limits of such a text; parts that are none are left out. */
export function quotasFrom(text: string): Quotas {
  const quotas: Record<string, Record<string, string>> = {};
  for (const part of text.split(';')) {
    const [queue, limits] = part.split(':');
    if (!queue || limits === undefined) continue;
    const max = limits.split(',').flatMap((limit) => {
      const [type, quantity = ''] = limit.split('=');
      return type ? [[decoded(type), decoded(quantity)] as const] : [];
    });
    quotas[decoded(queue)] = Object.fromEntries(max);
  }
  return quotas;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
