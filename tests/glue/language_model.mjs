// A double with the manners of Chrome's `LanguageModel`, which the test browser lacks. What was called stands in `calls`.
export const model = ({ availability = 'available', create, prompt = async function* () { yield 'So '; yield 'it is.'; } } = {}) => calls => ({
  availability: async () => availability,
  create: async options => {
    await create?.(options);
    calls.push(['create', options.initialPrompts]);
    return {
      promptStreaming: (text, options) => {
        calls.push(['prompt', text, options.responseConstraint]);
        return prompt(options);
      },
      destroy: () => calls.push(['destroy']),
    };
  },
});

/// A `create` that fetches the model first, and tells how far it has come in these steps.
export const downloading = steps => ({ monitor }) => {
  const download = new EventTarget();
  monitor(download);
  for (const loaded of steps) download.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded, total: 1 }));
};
