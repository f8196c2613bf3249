// Draws every chart that the page's data describes. Plain Chart.js, nothing is fetched.
(() => {
  'use strict';
  const shades = {
    good: ['#1b6ca8', '#4a9bd1', '#0d3f66', '#7fb9dd'],
    bad: ['#d9741a', '#b4531a', '#f0a35e', '#8a3c10'],
    neutral: ['#5c6b7a', '#93a1af', '#2f3a45', '#b8c2cc'],
  };
  const ink = '#1d2733', grid = '#e6ebf0', ground = 'rgba(255, 255, 255, 0.88)';

  const number = (v) => Number(v.toPrecision(4)).toString();
  const decade = (v) => Math.floor(Math.log10(v) + 1e-9);
  const isPowerOfTen = (v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9;

  // The ticks of a logarithmic axis are those that have room beside each other: every digit of each decade, or
  // 1, 2, 5, or the powers of ten alone.
  function setLogTicks(axis, room) {
    const { min, max } = axis;
    if (!(min > 0) || !(max > min)) return;
    const length = axis.isHorizontal() ? axis.width || 600 : axis.height || 260;
    const distance = (ratio) => Math.log(ratio) / Math.log(max / min) * length;
    const digits = distance(10 / 9) >= room ? [1, 2, 3, 4, 5, 6, 7, 8, 9]
      : distance(2) >= room ? [1, 2, 5] : [1];
    axis.ticks = [];
    for (let power = decade(min); power <= decade(max); ++power) {
      for (const digit of digits) {
        const value = Number(`${digit}e${power}`);
        if (value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9)) axis.ticks.push({ value });
      }
    }
  }

  function shareTick(value) {
    if (!isPowerOfTen(value)) return '';
    return value >= 1 ? 'all' : '1 in ' + Math.round(1 / value).toLocaleString('en');
  }

  // A text that can be read whatever lies under it.
  function label(ctx, text, x, y, align) {
    const width = ctx.measureText(text).width;
    const left = align === 'right' ? x - width : x;
    ctx.fillStyle = ground;
    ctx.fillRect(left - 3, y - 12, width + 6, 16);
    ctx.fillStyle = ink;
    ctx.textAlign = 'left';
    ctx.fillText(text, left, y);
  }

  // Lines at the figures to compare with: all lines first, so that none crosses a label.
  const marks = {
    id: 'marks',
    afterDatasetsDraw(chart, _args, options) {
      const { ctx, chartArea: area, scales } = chart;
      const position = (mark) => (options.vertical ? scales.x : scales.y).getPixelForValue(mark.value);
      const inside = (at) => options.vertical ? at >= area.left && at <= area.right : at >= area.top && at <= area.bottom;
      const shown = (options.lines || []).map((mark) => ({ mark, at: position(mark) })).filter(({ at }) => inside(at));
      ctx.save();
      ctx.font = '12px system-ui, sans-serif';
      ctx.lineWidth = 1;
      ctx.setLineDash([5, 4]);
      ctx.strokeStyle = ink;
      for (const { at } of shown) {
        ctx.beginPath();
        if (options.vertical) { ctx.moveTo(at, area.top); ctx.lineTo(at, area.bottom); }
        else { ctx.moveTo(area.left, at); ctx.lineTo(area.right, at); }
        ctx.stroke();
      }
      shown.forEach(({ mark, at }, i) => {
        if (options.vertical) {
          const right = at + 8 + ctx.measureText(mark.label).width < area.right;
          label(ctx, mark.label, at + (right ? 5 : -5), area.top + 14 + 18 * i, right ? 'left' : 'right');
        } else if (options.outside) {
          label(ctx, mark.label, area.right + 6, at + 4, 'left');
        } else {
          label(ctx, mark.label, area.right - 6, at < area.top + 18 ? at + 15 : at - 5, 'right');
        }
      });
      ctx.restore();
    },
  };

  // Stretches of the run, shaded under the samples; each kind of label has a colour and one entry in the legend.
  const spanColours = ['rgba(217, 116, 26, 0.28)', 'rgba(92, 107, 122, 0.28)', 'rgba(27, 108, 168, 0.2)'];
  const spans = {
    id: 'spans',
    beforeDatasetsDraw(chart, _args, options) {
      const { ctx, chartArea: area, scales } = chart;
      const kinds = [...new Set((options.list || []).map((span) => span.label))];
      ctx.save();
      for (const span of options.list || []) {
        const from = Math.max(area.left, scales.x.getPixelForValue(span.from));
        const to = Math.min(area.right, scales.x.getPixelForValue(span.to));
        if (to < area.left || from > area.right) continue;
        ctx.fillStyle = spanColours[kinds.indexOf(span.label) % spanColours.length];
        ctx.fillRect(from, area.top, Math.max(2, to - from), area.bottom - area.top);
      }
      ctx.restore();
    },
  };
  // Empty datasets, for the legend.
  const spanKeys = (list) => [...new Set(list.map((span) => span.label))].map((text, i) => ({
    label: text, data: [], pointStyle: 'rect', pointRadius: 6,
    borderColor: spanColours[i % spanColours.length], backgroundColor: spanColours[i % spanColours.length],
  }));

  function dataset(series, used, kind, several) {
    const distribution = kind === 'distribution', lines = kind === 'lines';
    const family = shades[series.tone];
    const colour = family[(used[series.tone] = (used[series.tone] ?? -1) + 1) % family.length];
    return {
      label: series.label,
      data: series.points.map(([x, y]) => ({ x, y })),
      borderColor: colour, backgroundColor: colour,
      borderWidth: distribution || lines || series.joined ? 2 : 0,
      showLine: distribution || lines || series.joined, stepped: false, clip: 8,
      // among others, what is bad must be seen
      pointRadius: distribution || series.joined ? 0 : lines ? 3 : several && series.tone === 'bad' && series.points.length < 100 ? 4 : 1.6, pointHitRadius: 4,
    };
  }

  function draw(canvas, chart) {
    const distribution = chart.kind === 'distribution';
    const lines = chart.kind === 'lines';
    const used = {};
    const title = (text) => ({ display: true, text, color: ink });
    const quantityAxis = {
      type: 'logarithmic', title: title(chart.quantity), grid: { color: grid },
      ticks: { color: ink, autoSkip: false, maxRotation: 0, callback: number },
      afterBuildTicks: (axis) => setLogTicks(axis, axis.isHorizontal() ? 34 : 18),
      suggestedMin: chart.range[0], suggestedMax: chart.range[1], min: chart.range[0], max: chart.range[1],
    };
    // Room above for the highest point; below zero only where something is clearly there (a hair below it is
    // drawn on the edge).
    const values = chart.series.flatMap((series) => series.points.map(([, y]) => y));
    const highest = Math.max(0, ...values, ...chart.marks.map((mark) => mark.value));
    const below = values.some((y) => y < -0.05 * highest);
    const linearAxis = {
      type: 'linear', title: title(chart.quantity), grid: { color: grid }, ticks: { color: ink },
      ...(below ? { grace: '5%' } : { min: 0, suggestedMax: highest * 1.05 }),
    };
    const shareAxis = {
      type: 'logarithmic', title: title('share of samples at or above'), max: 1,
      grid: { color: (c) => isPowerOfTen(c.tick.value) ? grid : 'transparent' },
      ticks: { color: ink, autoSkip: false, callback: shareTick },
    };
    const timeAxis = {
      type: 'linear', title: title('time into the run, s'), grid: { color: grid }, min: 0, ticks: { color: ink },
      ...(chart.seconds > 0 ? { max: chart.seconds } : {}),
    };
    // Charts of one run lie below each other: the same room to the left and right of all.
    if (chart.seconds > 0) linearAxis.afterFit = (axis) => { axis.width = 62; };
    const alongAxis = {
      type: 'logarithmic', title: title(chart.along), grid: { color: grid },
      ticks: { color: ink, autoSkip: false, maxRotation: 0, callback: number },
      afterBuildTicks: (axis) => {
        const all = new Set(chart.series.flatMap((series) => series.points.map(([x]) => x)));
        axis.ticks = [...all].sort((a, b) => a - b).map((value) => ({ value }));
      },
    };
    // A distribution is a line, a sample over time a point: so they are in the legend.
    const labels = distribution || lines
      ? { color: ink, boxWidth: 18, boxHeight: 3 }
      : { color: ink, usePointStyle: true, pointStyle: 'circle', boxWidth: 7, boxHeight: 7 };
    // Beside the plot, where they hide no point, if there is room.
    const outside = !distribution && chart.marks.length > 0 && canvas.parentElement.clientWidth > 600;
    const margin = chart.seconds > 0 && outside ? 140 : outside ? 10 + 7 * Math.max(...chart.marks.map((mark) => mark.label.length)) : 0;
    new Chart(canvas, {
      type: 'scatter',
      data: { datasets: [
        ...chart.series.map((series) => dataset(series, used, chart.kind, chart.series.length > 1)),
        ...spanKeys(chart.spans),
      ] },
      plugins: [spans, marks],
      options: {
        animation: false, layout: { padding: { right: margin } }, maintainAspectRatio: false, devicePixelRatio: 2, parsing: false,
        scales: { x: distribution ? quantityAxis : lines ? alongAxis : timeAxis, y: distribution ? shareAxis : chart.linear ? linearAxis : quantityAxis },
        plugins: {
          legend: { position: 'top', align: 'start', labels },
          marks: { lines: chart.marks, vertical: distribution, outside },
          spans: { list: chart.spans },
          tooltip: { callbacks: { label: (c) => distribution
            ? `${c.dataset.label}: ${shareTick(c.parsed.y) || '1 in ' + number(1 / c.parsed.y)} at ${number(c.parsed.x)} or more`
            : `${c.dataset.label}: ${number(c.parsed.y)} at ${number(c.parsed.x)}${lines ? '' : ' s'}` } },
        },
      },
    });
  }

  Chart.defaults.font.family = 'system-ui, "DejaVu Sans", sans-serif';
  Chart.defaults.font.size = 13;
  const charts = JSON.parse(document.getElementById('charts').textContent);
  charts.forEach((chart, i) => draw(document.getElementById('chart-' + i), chart));
})();
