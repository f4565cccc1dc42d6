// What the build places at dist/vendor/uPlot.mjs, beside the page (scripts/dist.mjs).
import uPlot from 'uplot';

export default uPlot;
