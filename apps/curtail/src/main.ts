import './cli/main.js';
