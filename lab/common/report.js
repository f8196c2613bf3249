// Draws every chart that the page's data describes. Plain Chart.js, nothing is fetched.
(() => {
  'use strict';
  const shades = {
    good: ['#1b6ca8', '#4a9bd1', '#0d3f66', '#7fb9dd'],
    bad: ['#d9741a', '#b4531a', '#f0a35e', '#8a3c10'],
    neutral: ['#5c6b7a', '#93a1af', '#2f3a45', '#b8c2cc'],
  };
  const ink = '#1d2733', grid = '#e6ebf0';

  const number = (v) => Number(v.toPrecision(4)).toString();
  const isPowerOfTen = (v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9;

  // On a logarithmic axis: 1, 2, 5 of each decade, and all nine digits where it spans less than one and a half.
  function logTick(value, axis) {
    const digit = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
    const narrow = axis.max / axis.min < 30;
    return narrow || [1, 2, 5].includes(digit) ? number(value) : '';
  }

  function shareTick(value) {
    if (!isPowerOfTen(value)) return '';
    return value >= 1 ? 'all' : '1 in ' + Math.round(1 / value).toLocaleString('en');
  }

  // Lines at the figures to compare with.
  const marks = {
    id: 'marks',
    afterDatasetsDraw(chart, _args, options) {
      const { ctx, chartArea: area, scales } = chart;
      ctx.save();
      ctx.font = '12px system-ui, sans-serif';
      ctx.lineWidth = 1;
      ctx.setLineDash([5, 4]);
      ctx.strokeStyle = ctx.fillStyle = ink;
      (options.lines || []).forEach((mark, i) => {
        const at = (options.vertical ? scales.x : scales.y).getPixelForValue(mark.value);
        if (options.vertical ? at < area.left || at > area.right : at < area.top || at > area.bottom) return;
        ctx.beginPath();
        if (options.vertical) { ctx.moveTo(at, area.top); ctx.lineTo(at, area.bottom); }
        else { ctx.moveTo(area.left, at); ctx.lineTo(area.right, at); }
        ctx.stroke();
        if (options.vertical) {
          const right = at < area.right - 130;
          ctx.textAlign = right ? 'left' : 'right';
          ctx.fillText(mark.label, at + (right ? 4 : -4), area.top + 14 + 16 * i);
        } else {
          ctx.textAlign = 'right';
          ctx.fillText(mark.label, area.right - 4, at - 4);
        }
      });
      ctx.restore();
    },
  };

  function dataset(series, used, distribution, several) {
    const family = shades[series.tone];
    const colour = family[(used[series.tone] = (used[series.tone] ?? -1) + 1) % family.length];
    return {
      label: series.label,
      data: series.points.map(([x, y]) => ({ x, y })),
      borderColor: colour, backgroundColor: colour,
      borderWidth: distribution ? 2 : 0,
      showLine: distribution, stepped: false,
      // among others, what is bad must be seen
      pointRadius: distribution ? 0 : several && series.tone === 'bad' && series.points.length < 100 ? 4 : 1.6, pointHitRadius: 4,
    };
  }

  function draw(canvas, chart) {
    const distribution = chart.kind === 'distribution';
    const used = {};
    const title = (text) => ({ display: true, text, color: ink });
    const quantityAxis = {
      type: 'logarithmic', title: title(chart.quantity), grid: { color: grid },
      ticks: { color: ink, autoSkip: false, maxRotation: 0, callback(v) { return logTick(v, this); } },
      suggestedMin: chart.range[0], suggestedMax: chart.range[1], min: chart.range[0], max: chart.range[1],
    };
    const linearAxis = {
      type: 'linear', title: title(chart.quantity), grid: { color: grid }, ticks: { color: ink }, grace: '5%',
    };
    const shareAxis = {
      type: 'logarithmic', title: title('share of samples at or above'), max: 1,
      grid: { color: (c) => isPowerOfTen(c.tick.value) ? grid : 'transparent' },
      ticks: { color: ink, autoSkip: false, callback: shareTick },
    };
    const timeAxis = {
      type: 'linear', title: title('time into the run, s'), grid: { color: grid }, min: 0, ticks: { color: ink },
    };
    new Chart(canvas, {
      type: 'scatter',
      data: { datasets: chart.series.map((series) => dataset(series, used, distribution, chart.series.length > 1)) },
      plugins: [marks],
      options: {
        animation: false, maintainAspectRatio: false, devicePixelRatio: 2, parsing: false,
        scales: { x: distribution ? quantityAxis : timeAxis, y: distribution ? shareAxis : chart.linear ? linearAxis : quantityAxis },
        plugins: {
          legend: { position: 'top', align: 'start', labels: { color: ink, boxWidth: 18, boxHeight: 3 } },
          marks: { lines: chart.marks, vertical: distribution },
          tooltip: { callbacks: { label: (c) => distribution
            ? `${c.dataset.label}: ${shareTick(c.parsed.y) || '1 in ' + number(1 / c.parsed.y)} at ${number(c.parsed.x)} or more`
            : `${c.dataset.label}: ${number(c.parsed.y)} at ${number(c.parsed.x)} s` } },
        },
      },
    });
  }

  Chart.defaults.font.family = 'system-ui, "DejaVu Sans", sans-serif';
  Chart.defaults.font.size = 13;
  const charts = JSON.parse(document.getElementById('charts').textContent);
  charts.forEach((chart, i) => draw(document.getElementById('chart-' + i), chart));
})();
