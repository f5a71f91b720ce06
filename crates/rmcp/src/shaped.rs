//! A server with shaping around it. Requests for tools and stored results are answered here; all other messages are forwarded
//! unchanged.

// Deprecated methods of the SDK are forwarded too.
#![allow(deprecated)]

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use toolshape::host::{Naming, Plan, result_template};

use crate::adapter::Adapter;
use crate::call::Session;
use crate::tools::{Tools, show};

/// The most pages of a list that are read to find a tool.
const MOST_PAGES: usize = 100;
/// What the addresses of stored results begin with.
const ADDRESS: &str = "toolshape://result/";

/// A server whose tools' results fit. It is a [`ServerHandler`], and so a [`Service`](rmcp::Service), as the server is.
pub struct ShapedServer<S> {
    server: S,
    adapter: Arc<Adapter>,
    session: Session,
    tools: Mutex<Tools>,
    /// Whether the server's tools were checked for the names of added tools.
    are_names_checked: AtomicBool,
}

impl<S: ServerHandler> ShapedServer<S> {
    pub(crate) fn new(server: S, adapter: Arc<Adapter>) -> Self {
        Self {
            server,
            adapter,
            session: Session::new(),
            tools: Mutex::default(),
            are_names_checked: AtomicBool::new(false),
        }
    }

    /// The server without shaping.
    pub fn server(&self) -> &S {
        &self.server
    }

    /// Sees the tools that the server lists, and gives them the schemas that clients see.
    fn see(&self, listed: &mut [Tool]) -> Result<(), ErrorData> {
        for tool in listed {
            self.adapter.check_name(&tool.name)?;
            show(tool, &self.plan(tool));
        }
        Ok(())
    }

    fn plan(&self, tool: &Tool) -> Arc<Plan> {
        self.tools().see(tool, &self.adapter.archive.shaper, self.adapter.has_store())
    }

    fn tools(&self) -> MutexGuard<'_, Tools> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plan of a tool that is called. A client may call one that it has not listed: it is then looked up in the list.
    async fn plan_of(&self, name: &str, context: &RequestContext<RoleServer>) -> Arc<Plan> {
        if let Some(tool) = self.server.get_tool(name) {
            return self.plan(&tool);
        }
        let known = self.tools().plan(name);
        if let Some(plan) = known {
            return plan;
        }
        // A failing list must not make the call fail.
        let _ = self.read_list(Some(name), context).await;
        let listed = self.tools().plan(name);
        listed.unwrap_or_else(|| Arc::new(self.adapter.archive.shaper.plan_unlisted(name, Naming::Camel)))
    }

    /// Reads the list up to a tool, or all of it. The inner error is that of a name.
    async fn read_list(
        &self,
        name: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<(), ErrorData>, ErrorData> {
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let page = cursor.take().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let mut listed = self.server.list_tools(page, context.clone()).await?;
            if let Err(taken) = self.see(&mut listed.tools) {
                return Ok(Err(taken));
            }
            let is_found = name.is_some_and(|name| listed.tools.iter().any(|tool| tool.name == name));
            match listed.next_cursor {
                Some(next) if !is_found => cursor = Some(next),
                _ => break,
            }
        }
        Ok(Ok(()))
    }

    /// Refuses a tool that is added if the server has one of its own with that name.
    async fn check_added(&self, name: &str, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        if self.server.get_tool(name).is_some() {
            return self.adapter.check_name(name);
        }
        if !self.are_names_checked.load(Ordering::Relaxed) {
            // A list that fails has no names to check.
            if let Ok(checked) = self.read_list(None, context).await {
                checked?;
                self.are_names_checked.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Whether the server has resources of its own.
    fn has_resources(&self) -> bool {
        self.server.get_info().capabilities.resources.is_some()
    }

    /// With stored results a server has resources.
    fn widened(&self, capabilities: &mut ServerCapabilities) {
        if self.adapter.has_store() {
            capabilities.resources.get_or_insert_default();
        }
    }

    /// Whether an address is that of a stored result.
    fn is_ours(&self, uri: &str) -> bool {
        self.adapter.has_store() && uri.starts_with(ADDRESS)
    }
}

/// Requests, with the result of each, and notifications that the server answers as if it were alone.
macro_rules! handed_on {
    ($($request:ident($params:ty) -> $result:ty),*; $($notification:ident($about:ty)),*) => {
        $(async fn $request(&self, request: $params, context: RequestContext<RoleServer>) -> Result<$result, ErrorData> {
            self.server.$request(request, context).await
        })*
        $(async fn $notification(&self, notification: $about, context: NotificationContext<RoleServer>) {
            self.server.$notification(notification, context).await;
        })*
    };
}

impl<S: ServerHandler> ServerHandler for ShapedServer<S> {
    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // Many hosts read one page: the added tools are at the end of the first.
        let is_first = request.as_ref().is_none_or(|page| page.cursor.is_none());
        let mut listed = self.server.list_tools(request, context).await?;
        self.see(&mut listed.tools)?;
        if is_first {
            listed.tools.extend(self.adapter.added.iter().cloned());
        }
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        context.extensions.insert(self.session.clone());
        let name = request.name.clone();
        if self.adapter.added(&name).is_some() {
            self.check_added(&name, &context).await?;
            let given = request.arguments.unwrap_or_default();
            return self.adapter.answer_added(&name, given, &context).await.map(Into::into);
        }
        let plan = self.plan_of(&name, &context).await;
        self.adapter.run(&plan, request, context, |request, context| self.server.call_tool(request, context)).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        if let Some(added) = self.adapter.added(name) {
            return Some(added.clone());
        }
        let mut tool = self.server.get_tool(name)?;
        show(&mut tool, &self.plan(&self.server.get_tool(name)?));
        Some(tool)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        context.extensions.insert(self.session.clone());
        let id = request.task_id.clone();
        let mut found = self.server.get_task(request, context.clone()).await?;
        if let TaskPayload::Completed { result } = &mut found.task.payload {
            self.adapter.finish(&id, result, &context).await?;
        }
        Ok(found)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.server.initialize(request, context).await?;
        self.widened(&mut result.capabilities);
        Ok(result)
    }

    fn negotiate_initialize(&self, request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData> {
        let mut result = self.server.negotiate_initialize(request)?;
        self.widened(&mut result.capabilities);
        Ok(result)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut result = self.server.discover(context).await?;
        self.widened(&mut result.capabilities);
        Ok(result)
    }

    fn get_info(&self) -> ServerConfig {
        let mut info = self.server.get_info();
        self.widened(&mut info.capabilities);
        info
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if self.adapter.has_store() && !self.has_resources() {
            return Ok(ListResourcesResult::default());
        }
        self.server.list_resources(request, context).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if !self.adapter.has_store() {
            return self.server.list_resource_templates(request, context).await;
        }
        let is_first = request.as_ref().is_none_or(|page| page.cursor.is_none());
        let mut listed = match self.has_resources() {
            true => self.server.list_resource_templates(request, context).await?,
            false => ListResourceTemplatesResult::default(),
        };
        if is_first {
            listed.resource_templates.extend(serde_json::from_value::<ResourceTemplate>(result_template()).ok());
        }
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.is_ours(&request.uri) {
            true => self.adapter.resource(&request.uri, &context).await.map(Into::into),
            false => self.server.read_resource(request, context).await,
        }
    }

    // From here on everything is the server's own.

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.server.supported_protocol_versions()
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.server.accepted_subscription_filter(requested)
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.server.ping(context).await
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.server.listen(context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.server.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.server.on_roots_list_changed(context).await;
    }

    handed_on! {
        complete(CompleteRequestParams) -> CompleteResult,
        set_level(SetLevelRequestParams) -> (),
        get_prompt(GetPromptRequestParams) -> GetPromptResponse,
        list_prompts(Option<PaginatedRequestParams>) -> ListPromptsResult,
        subscribe(SubscribeRequestParams) -> (),
        unsubscribe(UnsubscribeRequestParams) -> (),
        on_custom_request(CustomRequest) -> CustomResult,
        update_task(UpdateTaskParams) -> (),
        cancel_task(CancelTaskParams) -> (),
        list_skills(Option<PaginatedRequestParams>) -> ListSkillsResult,
        get_skill(GetSkillRequestParams) -> GetSkillResult,
        read_resource_directory(ReadResourceDirectoryRequestParams) -> ReadResourceDirectoryResult;
        on_cancelled(CancelledNotificationParam),
        on_progress(ProgressNotificationParam),
        on_custom_notification(CustomNotification)
    }
}
