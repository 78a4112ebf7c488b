//! Lists of tasks: `tasks/list` of revision 2025-11-25, and our query in the stateless revision, which defines no list.

use std::{collections::BTreeSet, rc::Rc};

use http::Response;
use mcp_sieve::{
    Digest, Filter, Ignored, Kind, UnknownName,
    catalog::Catalog,
    expr::Subject,
    filter::{ParsedFilter, Selection, SettledFilter},
    json::Object,
    revision::Era,
    task::{Place, Query, Scan, TaskCursor, TaskFilter},
};

use crate::small_collect::small_collect;

use crate::task_record::{Task, TaskSubject};

use crate::{
    call::{
        owner::{listed, owner},
        upstream::UpstreamTasks,
    },
    host::{Host, store::TaskStore},
    protocol::{
        error::RpcError,
        response::{self, Body, Cache},
    },
    request::{concerns, context::Context, visibility},
    tasks::lookup::shows,
};

/// Maximum number of tasks on one page.
pub const MAX_PAGE: usize = 100;
/// Maximum number of tasks that are read for one page if they must be filtered after loading.
pub const MAX_LOOKED: usize = 10_000;
/// Minimum number of tasks to read per access to storage, after the first.
const LOOK: usize = 200;

/// Answers `tasks/list`, and `dev.mcpsieve/tasks/query` of the stateless revision.
pub(crate) async fn list<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let store =
        context.exchange.host.tasks().ok_or_else(|| RpcError::internal("tasks", "no tasks are kept here"))?;
    let params = context.message.params.as_ref().map(|params| params.raw());
    let ParsedFilter { mut filter, mut ignored, unknown, .. } =
        TaskFilter::read(params, context.exchange.config.engine.on_unknown_member)?;
    let wanted = filter != TaskFilter::default();
    let methods = filter.methods.clone();
    ignored.extend(context.exchange.config.tasks.filter.restrict(&mut filter));
    let narrowed = Narrowed::new(context, &mut filter, &mut ignored)?;
    let owner = listed(context);
    let cursor = TaskCursor {
        filter: filter.hash(),
        owner: Digest::of(owner.as_deref().unwrap_or_default().as_bytes()),
    };
    let from = match context.message.cursor()? {
        None => None,
        Some(token) => Some(cursor.open(context.exchange.host.key(), &token)?),
    };
    let scan = Scan {
        query: Query::new(&filter, context.era()),
        from,
        limit: context.exchange.config.page_size.min(MAX_PAGE),
        now: context.exchange.host.now(),
    };
    let (tasks, next) = match owner {
        Some(owner) => {
            UpstreamTasks::new(context).refresh_all(&store, &owner).await?;
            pages(&narrowed, &store, &owner, scan).await?
        }
        None => of_strangers(&narrowed, &store, &filter, scan).await?,
    };
    let has_report = wanted || !ignored.is_empty();
    let report = has_report.then(|| report(&filter, methods, (&ignored, &unknown)));
    Ok(written(context, &tasks, next.map(|place| cursor.seal(context.exchange.host.key(), &place)), report))
}

/// The conditions on tasks that storage does not evaluate.
struct Narrowed<'c, 'a, H> {
    context: &'c Context<'a, H>,
    era: Era,
    /// The names of the tools whose tasks match; `None` for any tool.
    called: Option<BTreeSet<String>>,
    condition: Option<mcp_sieve::expr::Expr>,
}

impl<'c, 'a, H: Host> Narrowed<'c, 'a, H> {
    fn new(
        context: &'c Context<'a, H>,
        filter: &mut TaskFilter,
        ignored: &mut Vec<Ignored>,
    ) -> Result<Self, RpcError> {
        let config = context.exchange.config;
        concerns::complete(context, &mut filter.called, ignored)?;
        let called = std::mem::take(&mut filter.called);
        let SettledFilter { filter: called, mut narrowing } = called.settle(
            &context.view,
            &context.concerns(),
            config.engine.on_invalid_concern,
            Vec::new(),
        )?;
        ignored.extend(narrowing.ignored().iter().cloned());
        filter.called = called;
        // The concerns of the URL apply to tasks as to any other list. Its other fields only select what can be called.
        let url = Filter { concerns: context.url.concerns.clone(), ..Filter::default() };
        visibility::add_url(config, &context.view, &url, &mut narrowing);
        let is_narrowed = !filter.called.is_empty() || !url.is_empty();
        let names = is_narrowed.then(|| {
            let (view, kind_index) = (&context.view, context.view.catalog().kind_index(Kind::Tool));
            let mut selection = Selection::default();
            view.select(&narrowing, Kind::Tool, &mut selection);
            small_collect(selection.bits().iter().filter_map(|at| kind_index.id(at)).map(str::to_owned))
        });
        Ok(Self { context, era: context.era(), called: names, condition: filter.r#where.clone() })
    }

    fn admits(&self, task: &Task) -> bool {
        if !shows(self.context, task) || self.called.as_ref().is_some_and(|names| !names.contains(&task.name))
        {
            return false;
        }
        let Some(condition) = &self.condition else { return true };
        let view = &self.context.view;
        let tool = view.find(Kind::Tool, &task.name).and_then(|at| view.catalog().primitive(Kind::Tool, at));
        let called = tool.as_ref().map(|tool| tool as &dyn Subject);
        condition.holds(&TaskSubject { task, era: self.era, called })
    }
}

type Page = (Vec<Task>, Option<Place>);

/// Returns one page of an owner's tasks, and the position of the next one.
async fn pages<H: Host>(
    narrowed: &Narrowed<'_, '_, H>,
    store: &Rc<dyn TaskStore>,
    owner: &str,
    mut scan: Scan,
) -> Result<Page, RpcError> {
    let (size, mut looked) = (scan.limit, 0);
    let mut page: Vec<Task> = Vec::new();
    // Reads one task more than fits, to learn whether there is another page.
    scan.limit = size + 1;
    let mut began = scan.began(None::<&Task>);
    loop {
        let found = store.list(owner, scan.clone()).await?;
        let exhausted = found.len() < scan.limit;
        if let Some(latest) = scan.latest().filter(|_| !exhausted) {
            began = scan.began(store.list(owner, latest).await?.first());
        }
        looked += found.len();
        for task in found {
            let place = scan.behind(&task, began);
            if narrowed.admits(&task) {
                if page.len() == size {
                    let next = page.last().map(|last| scan.behind(last, began));
                    return Ok((page, next));
                }
                page.push(task);
            }
            scan.from = Some(place);
        }
        if exhausted {
            return Ok((page, None));
        }
        if looked >= MAX_LOOKED {
            return Ok((page, scan.from));
        }
        scan.limit = LOOK.max(size + 1);
    }
}

/// Returns the named tasks of an anonymous caller. Knowledge of an id suffices to read such a task.
async fn of_strangers<H: Host>(
    narrowed: &Narrowed<'_, '_, H>,
    store: &Rc<dyn TaskStore>,
    filter: &TaskFilter,
    mut scan: Scan,
) -> Result<Page, RpcError> {
    if filter.task_ids.is_empty() {
        let message = "without a token only tasks that are named can be listed: `filter.taskIds`";
        return Err(RpcError::handle("task_ids_required", message));
    }
    let (relay, mut named) = (UpstreamTasks::new(narrowed.context), Vec::new());
    for id in &filter.task_ids {
        let task = store.load(&owner(narrowed.context, id), id).await?;
        if let Some(task) = task.filter(|task| shows(narrowed.context, task)) {
            named.push(relay.refresh(store, task).await?);
        }
    }
    named.retain(|task| narrowed.admits(task));
    let size = std::mem::replace(&mut scan.limit, usize::MAX);
    let mut found: Vec<Task> = scan.pick(&named).into_iter().cloned().collect();
    let more = found.len() > size;
    found.truncate(size);
    let latest = scan.latest().and_then(|latest| latest.pick(&named).first().copied());
    let next = found.last().filter(|_| more).map(|last| scan.behind(last, scan.began(latest)));
    Ok((found, next))
}

fn written<H: Host>(
    context: &Context<'_, H>,
    tasks: &[Task],
    next: Option<String>,
    report: Option<Vec<u8>>,
) -> Response<Body> {
    let era = context.era();
    let mut out = response::open(context.id);
    // The list is specific to the caller, and changes with each of its tasks.
    let cache = Some(Cache { ttl_ms: 0, private: true });
    context.shape().write(
        &mut out,
        cache,
        report.as_deref().map(|report| (Catalog::FILTER_REPORT_KEY, report)),
        |result| {
            Object::push_array(result.value("tasks"), tasks, |out, task| {
                let mut object = Object::open(out);
                task.show(era, &mut object);
                if era == Era::Stateless {
                    object.text("method", &task.method);
                }
                object.close();
            });
            next.iter().for_each(|next| result.text("nextCursor", next));
        },
    );
    response::close(&mut out);
    response::json(out)
}

/// Returns the report on the filter, with the methods as they were requested.
fn report(
    filter: &TaskFilter,
    methods: Vec<String>,
    (ignored, unknown): (&[Ignored], &[UnknownName]),
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut report = Object::open(&mut out);
    let mut applied = filter.clone();
    // A method that is not supported matches no task. Without its name, the report would be that of a wider filter.
    if !applied.methods.is_empty() {
        applied.methods = methods;
    }
    report.raw("applied", &applied.canonical());
    report.filter_report(ignored, unknown);
    report.text("filterHash", &Digest::hex(applied.hash()));
    report.close();
    out
}
