/** The name of a view, for the tab of the browser. @param pathname below the base of the page, encoded. */
export function titleOf(pathname: string, labels: readonly { to: string; label: string }[]): string {
  const [, first = '', ...rest] = pathname.split('/');
  const name = rest.join('/');
  if (name !== '' && (first === 'queues' || first === 'runs')) {
    return `${first === 'runs' ? 'Run ' : ''}${decoded(name)} – Curtail`;
  }
  const label = labels.find(({ to }) => to === `/${first}`)?.label;
  return label === undefined ? 'Curtail' : `${label} – Curtail`;
}

/** An address may be typed by hand, and wrong. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
