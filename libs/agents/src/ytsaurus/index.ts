export { assertConnected, listOperations, readTreeLimits, readTreeNodes } from './look.js';
export { assertTreeName, chooseTree, readPoolTree } from './pool-tree.js';
export { YtApi } from './yt-api.js';
export { isPassing, YtError } from './yt-error.js';
export { YtsaurusCluster } from './ytsaurus-cluster.js';
