export const wantedQuantities =
  'write a mapping of types to quantities, such as {memory: 10G, vcore: 4}, or a string that holds one';
