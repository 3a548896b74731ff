/** The tags that a node must have, all of them; undefined: a filter that cannot be written so. */
export interface TagFilter {
  tags: string[] | undefined;
}

const tag = /^[A-Za-z0-9_.:/@-]{1,128}$/;
/** Entries of labels in a report. */
const mostTags = 16;

/** Reads a filter of node tags. Only tags that all have to be there, `a & b`, can be planned with: `|` and `!` cannot. */
export function tagsOf(filter: string): TagFilter {
  if (filter === '') return { tags: [] };
  const parts = filter.split('&').map((part) => part.trim());
  const isPlain = parts.length <= mostTags && parts.every((part) => tag.test(part));
  return { tags: isPlain ? [...new Set(parts)].sort() : undefined };
}
